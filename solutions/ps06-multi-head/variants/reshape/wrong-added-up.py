# wrong: merges by adding the heads up
# loses: reshape--merge reshape--order
# told: add the heads up
def split_heads(x, heads):
    B, T, D = x.shape
    return x.reshape(B, T, heads, D // heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.sum(dim=1)
