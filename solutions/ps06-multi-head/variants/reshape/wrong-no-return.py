# wrong: split_heads forgets the return
# loses: reshape--by-hand reshape--values reshape--order
# told: nothing comes back
def split_heads(x, heads):
    B, T, D = x.shape
    x = x.reshape(B, T, heads, D // heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.transpose(1, 2).reshape(B, T, H * K)
