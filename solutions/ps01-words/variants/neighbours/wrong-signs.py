# wrong: from b to a
# loses: neighbours--analogy
# told: the signs are mixed up
def neighbours(W, word, k):
    lengths = W.norm(dim=1)
    cosines = W @ W[word] / (lengths * lengths[word]).clamp(min=1e-30)
    cosines[word] = -2
    return cosines.argsort(descending=True)[:k]


def analogy(W, a, b, c):
    U = W / W.norm(dim=1, keepdim=True)
    target = U[a] - U[b] + U[c]
    order = (U @ target).argsort(descending=True).tolist()
    return next(word for word in order if word not in (a, b, c))
