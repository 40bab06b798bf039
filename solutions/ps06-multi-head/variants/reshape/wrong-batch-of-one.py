# wrong: drops a batch of one
# loses: reshape--by-hand reshape--values reshape--order
# told: The heads: shape \(2, 3, 2\)
def split_heads(x, heads):
    B, T, D = x.shape
    return x.view(B, T, heads, D // heads).transpose(1, 2).squeeze(0)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.transpose(1, 2).reshape(B, T, H * K)
