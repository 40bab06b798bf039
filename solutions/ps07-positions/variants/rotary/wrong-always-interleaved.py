# wrong: leaves pairing unused
# loses: rotary--halves
# told: pairs are those of "interleaved"
def rotary(x, positions, theta, pairing="interleaved"):
    angle = positions[:, None] * theta
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)
