# wrong: leaves the columns as they are
# loses: rotary--reorder rotary--inputs
# told: nothing is reordered
def rotary(x, positions, theta, pairing="interleaved"):
    angle = positions[:, None] * theta
    cos, sin = angle.cos(), angle.sin()
    if pairing == "interleaved":
        a, b = x[..., 0::2], x[..., 1::2]
    else:
        a, b = x.chunk(2, dim=-1)
    first, second = a * cos - b * sin, a * sin + b * cos
    if pairing == "interleaved":
        return torch.stack([first, second], dim=-1).flatten(-2)
    return torch.cat([first, second], dim=-1)


def to_halves(W, heads):
    return W.clone()
