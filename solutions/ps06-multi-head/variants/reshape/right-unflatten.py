# right: unflatten and flatten
def split_heads(x, heads):
    return x.unflatten(-1, (heads, -1)).movedim(2, 1)


def merge_heads(x):
    return x.permute(0, 2, 1, 3).flatten(2)
