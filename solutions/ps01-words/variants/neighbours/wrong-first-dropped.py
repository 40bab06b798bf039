# wrong: drops the first of the list
# loses: neighbours--itself neighbours--zeros
# told: not the first of the list|its own neighbour
def neighbours(W, word, k):
    lengths = W.norm(dim=1)
    cosines = W @ W[word] / (lengths * lengths[word]).clamp(min=1e-30)
    return cosines.argsort(descending=True, stable=True)[1 : k + 1]


def analogy(W, a, b, c):
    U = W / W.norm(dim=1, keepdim=True)
    target = U[b] - U[a] + U[c]
    order = (U @ target).argsort(descending=True).tolist()
    return next(word for word in order if word not in (a, b, c))
