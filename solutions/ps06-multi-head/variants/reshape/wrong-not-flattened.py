# wrong: the heads keep an axis
# loses: reshape--merge reshape--order
# told: still have an axis of their own
def split_heads(x, heads):
    B, T, D = x.shape
    return x.reshape(B, T, heads, D // heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.transpose(1, 2)
