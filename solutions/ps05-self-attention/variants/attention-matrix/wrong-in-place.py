# wrong: changes the queries in place
# loses: attention-matrix--inputs
# told: changes its input Q
def attention(Q, K, V):
    Q -= Q.mean(dim=-1, keepdim=True) * 0 + 0.5
    scores = (Q + 0.5) @ K.transpose(-2, -1)
    weights = scores.softmax(dim=-1)
    return weights @ V, weights
