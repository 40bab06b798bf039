# wrong: PyTorch's cosine
# loses: neighbours--by-hand neighbours--lengths neighbours--itself neighbours--zeros neighbours--values
# told: `cosine_similarity`.*writes by hand
def neighbours(W, word, k):
    cosines = torch.nn.functional.cosine_similarity(W, W[word][None])
    cosines[word] = -2
    return cosines.argsort(descending=True)[:k]


def analogy(W, a, b, c):
    U = W / W.norm(dim=1, keepdim=True)
    target = U[b] - U[a] + U[c]
    order = (U @ target).argsort(descending=True).tolist()
    return next(word for word in order if word not in (a, b, c))
