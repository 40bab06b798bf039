# wrong: lets PyTorch find the gradient
# loses: lookup--gradient lookup--repeated
# told: `backward` lets PyTorch find
def one_hot(ids, n):
    return (ids[:, None] == torch.arange(n)).float()


def look_up(ids, W):
    return W[ids]


def look_up_gradient(ids, G, n):
    W = torch.zeros(n, G.shape[1], dtype=G.dtype, requires_grad=True)
    W[ids].backward(G)
    return W.grad
