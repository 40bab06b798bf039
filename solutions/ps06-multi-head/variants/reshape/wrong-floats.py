# wrong: makes 32-bit floats of everything
# loses: reshape--values reshape--by-hand reshape--order
# told: float32, while its inputs are
def split_heads(x, heads):
    B, T, D = x.shape
    return torch.stack([x[..., h * (D // heads) : (h + 1) * (D // heads)].float() for h in range(heads)], 1)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.transpose(1, 2).reshape(B, T, H * K)
