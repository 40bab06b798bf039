# wrong: gives the input itself another shape
# loses: reshape--order
# told: changes its input x
def split_heads(x, heads):
    B, T, D = x.shape
    x.resize_(B, T, heads, D // heads)
    return x.transpose(1, 2)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.transpose(1, 2).reshape(B, T, H * K)
