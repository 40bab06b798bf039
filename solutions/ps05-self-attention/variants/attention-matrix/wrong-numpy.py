# wrong: goes through NumPy
# loses: attention-matrix--by-hand attention-matrix--values attention-matrix--batch attention-matrix--gradients attention-matrix--inputs
# told: NumPy array
def attention(Q, K, V):
    import numpy as np

    q, k, v = Q.detach().numpy(), K.detach().numpy(), V.detach().numpy()
    scores = q @ np.swapaxes(k, -2, -1)
    exps = np.exp(scores - scores.max(-1, keepdims=True))
    weights = exps / exps.sum(-1, keepdims=True)
    return weights @ v, weights
