# right: leading axes folded into one for bmm, softmax written out
def attention(Q, K, V):
    leading, T, S = Q.shape[:-2], Q.shape[-2], K.shape[-2]
    q = Q.reshape(-1, T, Q.shape[-1])
    k = K.reshape(-1, S, K.shape[-1])
    v = V.reshape(-1, S, V.shape[-1])
    scores = torch.bmm(q, k.permute(0, 2, 1))
    scores = scores - scores.max(dim=2, keepdim=True).values
    exps = scores.exp()
    weights = exps / exps.sum(dim=2, keepdim=True)
    output = torch.bmm(weights, v)
    return output.reshape(*leading, T, -1), weights.reshape(*leading, T, S)
