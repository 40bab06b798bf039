# right: head by head into an empty tensor
def split_heads(x, heads):
    K = x.shape[2] // heads
    out = x.new_empty(x.shape[0], heads, x.shape[1], K)
    for h in range(heads):
        out[:, h] = x[:, :, h * K : (h + 1) * K]
    return out


def merge_heads(x):
    B, H, T, K = x.shape
    out = x.new_empty(B, T, H * K)
    for h in range(H):
        out[:, :, h * K : (h + 1) * K] = x[:, h]
    return out
