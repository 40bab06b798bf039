# wrong: splits without exchanging the axes
# loses: reshape--by-hand reshape--values reshape--order
# told: only then exchange the axes
def split_heads(x, heads):
    B, T, D = x.shape
    return x.view(B, heads, T, D // heads)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.transpose(1, 2).reshape(B, T, H * K)
