# wrong: the softmax runs over the queries
# loses: attention-matrix--by-hand attention-matrix--values attention-matrix--batch attention-matrix--gradients attention-matrix--inputs
# told: over the queries, not over the keys
def attention(Q, K, V):
    scores = Q @ K.transpose(-2, -1)
    weights = scores.softmax(dim=-2)
    return weights @ V, weights
