# wrong: makes its own zeros of 32 bits
# loses: lookup--gradient lookup--repeated
# told: float32, while its inputs are float64
def one_hot(ids, n):
    return (ids[:, None] == torch.arange(n)).float()


def look_up(ids, W):
    return W[ids]


def look_up_gradient(ids, G, n):
    dW = torch.zeros(n, G.shape[1])
    for word, g in zip(ids, G):
        dW[word] += g
    return dW
