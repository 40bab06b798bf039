# wrong: the weights are transposed when they meet the values
# loses: attention-matrix--by-hand attention-matrix--values attention-matrix--batch attention-matrix--gradients attention-matrix--inputs
# told: the weights are turned round
def attention(Q, K, V):
    scores = Q @ K.transpose(-2, -1)
    weights = scores.softmax(dim=-1)
    return weights.transpose(-2, -1) @ V, weights
