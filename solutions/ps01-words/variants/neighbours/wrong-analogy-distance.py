# wrong: smallest distance
# loses: neighbours--analogy
# told: smallest distance is not
def neighbours(W, word, k):
    lengths = W.norm(dim=1)
    cosines = W @ W[word] / (lengths * lengths[word]).clamp(min=1e-30)
    cosines[word] = -2
    return cosines.argsort(descending=True)[:k]


def analogy(W, a, b, c):
    U = W / W.norm(dim=1, keepdim=True)
    target = U[b] - U[a] + U[c]
    order = (W - target).norm(dim=1).argsort().tolist()
    return next(word for word in order if word not in (a, b, c))
