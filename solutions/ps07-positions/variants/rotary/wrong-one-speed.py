# wrong: all pairs turn at one speed
# loses: rotary--interleaved rotary--halves rotary--by-hand rotary--relative rotary--gradients rotary--inputs
# told: same speed
def rotary(x, positions, theta, pairing="interleaved"):
    angle = positions[:, None] * theta[:1].expand_as(theta)
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
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)
