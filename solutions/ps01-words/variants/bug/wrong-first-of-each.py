# wrong: np.unique keeps the first pair of each word
# loses: bug--centres
# told: for one of them only
def mended_step(W, V, centre, context, negatives, rate):
    seen = set()
    words = torch.cat([context[:, None], negatives], dim=1)
    w, v = W[centre][:, None, :], V[words]
    error = torch.sigmoid((w * v).sum(dim=-1, keepdim=True))
    error[:, 0] -= 1.0
    down_W = -rate * (error * v).sum(dim=1)
    down_V = (-rate * error * w).flatten(0, 1)
    W = W.clone()
    for word, down in reversed(list(zip(centre.tolist(), down_W))):
        W[word] = down + W[word] if word not in seen else W[word]
        seen.add(word)
    V = V.index_add(0, words.flatten(), down_V)
    return W, V
