# wrong: the weights are not applied to the values
# loses: attention-matrix--by-hand attention-matrix--values attention-matrix--batch attention-matrix--gradients attention-matrix--inputs
# told: still have to weigh the values
def attention(Q, K, V):
    weights = (Q @ K.transpose(-2, -1)).softmax(dim=-1)
    return weights, weights
