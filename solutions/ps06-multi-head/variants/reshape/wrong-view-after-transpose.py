# wrong: view of what no longer lies in order
# loses: reshape--merge reshape--order
# told: view size is not compatible
def split_heads(x, heads):
    B, T, D = x.shape
    return x.reshape(B, T, heads, D // heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.transpose(1, 2).view(B, T, H * K)
