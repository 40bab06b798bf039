# right: the axes by name
def split_heads(x, heads):
    x = x.view(x.shape[0], x.shape[1], heads, -1)
    return torch.einsum("bthk->bhtk", x)


def merge_heads(x):
    return torch.einsum("bhtk->bthk", x).contiguous().view(x.shape[0], x.shape[2], -1)
