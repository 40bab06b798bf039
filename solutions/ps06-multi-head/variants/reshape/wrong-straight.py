# wrong: counts the numbers off anew, both ways: there and back is the same
# loses: reshape--by-hand reshape--values reshape--merge reshape--order
# told: your heads mix tokens
def split_heads(x, heads):
    B, T, D = x.shape
    return x.view(B, heads, T, D // heads)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.reshape(B, T, H * K)
