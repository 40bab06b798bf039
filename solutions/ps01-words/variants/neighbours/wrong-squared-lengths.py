# wrong: squared lengths without their root
# loses: neighbours--by-hand neighbours--lengths neighbours--itself neighbours--zeros neighbours--values
# told: square of a length
def neighbours(W, word, k):
    lengths = W.square().sum(dim=1)
    cosines = W @ W[word] / (lengths * lengths[word]).clamp(min=1e-30)
    cosines[word] = -2
    return cosines.argsort(descending=True)[:k]


def analogy(W, a, b, c):
    U = W / W.norm(dim=1, keepdim=True)
    target = U[b] - U[a] + U[c]
    order = (U @ target).argsort(descending=True).tolist()
    return next(word for word in order if word not in (a, b, c))
