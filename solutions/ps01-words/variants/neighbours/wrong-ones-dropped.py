# wrong: drops whatever has a cosine of 1
# loses: neighbours--itself neighbours--zeros
# told: not every cosine of 1|leave out its id
def neighbours(W, word, k):
    lengths = W.norm(dim=1)
    cosines = W @ W[word] / (lengths * lengths[word]).clamp(min=1e-30)
    cosines[cosines > 1 - 1e-6] = -2
    return cosines.argsort(descending=True)[:k]


def analogy(W, a, b, c):
    U = W / W.norm(dim=1, keepdim=True)
    target = U[b] - U[a] + U[c]
    order = (U @ target).argsort(descending=True).tolist()
    return next(word for word in order if word not in (a, b, c))
