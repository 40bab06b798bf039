# wrong: .T turns round all axes, the batch too
# loses: attention-matrix--batch attention-matrix--gradients attention-matrix--inputs
# told: stops with|wrong in
def attention(Q, K, V):
    weights = (Q @ K.permute(*reversed(range(K.ndim)))).softmax(dim=-1)
    return weights @ V, weights
