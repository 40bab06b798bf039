# wrong: returns the output without the weights
# loses: attention-matrix--by-hand attention-matrix--values attention-matrix--batch attention-matrix--gradients attention-matrix--inputs
# told: 2 results are asked for
def attention(Q, K, V):
    return (Q @ K.transpose(-2, -1)).softmax(dim=-1) @ V
