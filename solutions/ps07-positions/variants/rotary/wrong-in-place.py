# wrong: writes into x
# loses: rotary--inputs
# told: changes its input x
def rotary(x, positions, theta, pairing="interleaved"):
    angle = positions[:, None] * theta
    cos, sin = angle.cos(), angle.sin()
    half = x.shape[-1] // 2
    if pairing == "interleaved":
        a, b = x[..., 0::2].clone(), x[..., 1::2].clone()
        x[..., 0::2], x[..., 1::2] = a * cos - b * sin, a * sin + b * cos
    else:
        a, b = x[..., :half].clone(), x[..., half:].clone()
        x[..., :half], x[..., half:] = a * cos - b * sin, a * sin + b * cos
    return x


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)
