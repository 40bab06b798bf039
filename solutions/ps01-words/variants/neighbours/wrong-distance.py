# wrong: smallest distance
# loses: neighbours--by-hand neighbours--lengths neighbours--itself neighbours--zeros neighbours--values
# told: smallest distance
def neighbours(W, word, k):
    distances = (W - W[word]).norm(dim=1)
    distances[word] = math.inf
    return distances.argsort()[:k]


def analogy(W, a, b, c):
    U = W / W.norm(dim=1, keepdim=True)
    target = U[b] - U[a] + U[c]
    order = (U @ target).argsort(descending=True).tolist()
    return next(word for word in order if word not in (a, b, c))
