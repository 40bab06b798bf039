# wrong: leaves the heads behind the tokens
# loses: reshape--by-hand reshape--values reshape--merge reshape--order
# told: stand behind the tokens
def split_heads(x, heads):
    B, T, D = x.shape
    return x.view(B, T, heads, D // heads)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.reshape(B, H, T * K)
