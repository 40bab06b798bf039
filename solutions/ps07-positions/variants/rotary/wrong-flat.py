# wrong: expects batch and heads in front
# loses: rotary--by-hand rotary--interleaved rotary--halves rotary--relative rotary--gradients rotary--inputs
# told: not enough values to unpack
def rotary(x, positions, theta, pairing="interleaved"):
    B, H, T, K = x.shape
    angle = positions[:, None] * theta
    cos, sin = angle.cos(), angle.sin()
    if pairing == "interleaved":
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).view(B, H, T, K)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)
