# wrong: positions along the axis before the tokens
# loses: rotary--interleaved rotary--halves rotary--gradients rotary--by-hand rotary--relative rotary--inputs
# told: the axis before the tokens
def rotary(x, positions, theta, pairing="interleaved"):
    angle = positions[:, None] * theta
    if x.dim() > 2:
        angle = angle[:, None]
    cos, sin = angle.cos(), angle.sin()
    if pairing == "interleaved":
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)
