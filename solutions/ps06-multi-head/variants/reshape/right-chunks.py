# right: cut into pieces, stacked and put together again
def split_heads(x, heads):
    return torch.stack(x.chunk(heads, dim=-1), dim=1)


def merge_heads(x):
    return torch.cat(x.unbind(dim=1), dim=-1)
