# wrong: the heads before the batch
# loses: reshape--by-hand reshape--values reshape--order
# told: before the batch
def split_heads(x, heads):
    B, T, D = x.shape
    return x.view(B, T, heads, D // heads).permute(2, 0, 1, 3)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.transpose(1, 2).reshape(B, T, H * K)
