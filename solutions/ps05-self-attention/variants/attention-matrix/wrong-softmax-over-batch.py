# wrong: the softmax runs over the first axis
# loses: attention-matrix--by-hand attention-matrix--values attention-matrix--batch attention-matrix--gradients attention-matrix--inputs
# told: over axis 0 of|over the queries, not over the keys
def attention(Q, K, V):
    weights = torch.softmax(Q @ K.transpose(-2, -1), dim=0)
    return weights @ V, weights
