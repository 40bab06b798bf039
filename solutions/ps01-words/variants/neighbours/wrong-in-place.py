# wrong: normalises the matrix itself
# loses: neighbours--values
# told: changes its input W
def neighbours(W, word, k):
    W /= W.norm(dim=1, keepdim=True).clamp(min=1e-30)
    cosines = W @ W[word]
    cosines[word] = -2
    return cosines.argsort(descending=True)[:k]


def analogy(W, a, b, c):
    U = W / W.norm(dim=1, keepdim=True)
    target = U[b] - U[a] + U[c]
    order = (U @ target).argsort(descending=True).tolist()
    return next(word for word in order if word not in (a, b, c))
