# wrong: leaves pairing unused, as checkpoints' own code does
# loses: rotary--interleaved
# told: pairs are those of "halves"
def rotary(x, positions, theta, pairing="interleaved"):
    angle = positions[:, None] * theta
    cos, sin = angle.cos(), angle.sin()
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)
