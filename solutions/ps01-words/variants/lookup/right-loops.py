# right: stack of rows; index_put with accumulate
def one_hot(ids, n):
    rows = torch.zeros(len(ids), n)
    for row, word in zip(rows, ids.tolist()):
        row[word] = 1
    return rows


def look_up(ids, W):
    return torch.stack([W[word] for word in ids.tolist()])


def look_up_gradient(ids, G, n):
    dW = torch.zeros(n, G.shape[-1], dtype=G.dtype)
    return dW.index_put_((ids,), G, accumulate=True)
