# right: PyTorch's normalize; masked argmax, as a tensor
def neighbours(W, word, k):
    U = torch.nn.functional.normalize(W, dim=1)
    cosines = torch.mv(U, U[word])
    others = torch.arange(len(W)) != word
    ids = others.nonzero().squeeze(1)
    return ids[cosines[others].topk(k).indices]


def analogy(W, a, b, c):
    U = torch.nn.functional.normalize(W, dim=1)
    cosines = U @ (U[c] + U[b] - U[a])
    return cosines.index_fill(0, torch.tensor([a, b, c]), -9.0).argmax()
