# wrong: the result is made in 32 bits whatever comes in
# loses: attention-loop--precision
# told: float32, while its inputs are float64
def attention_loop(Q, K, V):
    out = torch.zeros(len(Q), V.shape[1])
    for i, q in enumerate(Q):
        weights = torch.softmax(K @ q, dim=0)
        out[i] = sum(w * v for w, v in zip(weights, V))
    return out
