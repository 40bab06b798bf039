# wrong: lengths left in
# loses: neighbours--by-hand neighbours--lengths neighbours--itself neighbours--zeros neighbours--values
# told: long vectors win
def neighbours(W, word, k):
    lengths = W.norm(dim=1)
    cosines = W @ W[word]
    cosines[word] = -math.inf
    return cosines.argsort(descending=True)[:k]


def analogy(W, a, b, c):
    U = W / W.norm(dim=1, keepdim=True)
    target = U[b] - U[a] + U[c]
    order = (U @ target).argsort(descending=True).tolist()
    return next(word for word in order if word not in (a, b, c))
