# wrong: looks at the first sequence of a batch only
# loses: attention-matrix--batch attention-matrix--gradients
# told: it must be \(2, 2, 2\)
def attention(Q, K, V):
    if Q.ndim == 3:
        Q, K, V = Q[0], K[0], V[0]
    weights = (Q @ K.transpose(-2, -1)).softmax(dim=-1)
    return weights @ V, weights
