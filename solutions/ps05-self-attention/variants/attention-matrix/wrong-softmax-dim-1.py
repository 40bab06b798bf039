# wrong: axis 1 is the keys of one sequence, and the queries of a batch
# loses: attention-matrix--batch attention-matrix--gradients
# told: over the queries, not over the keys|over axis 1
def attention(Q, K, V):
    scores = Q @ K.transpose(-2, -1)
    weights = torch.softmax(scores, dim=1)
    return weights @ V, weights
