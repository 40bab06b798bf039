# wrong: through NumPy
# loses: rotary--by-hand rotary--interleaved rotary--halves rotary--relative rotary--gradients rotary--inputs
# told: a tensor is asked for, a NumPy array
def rotary(x, positions, theta, pairing="interleaved"):
    import numpy as np

    x, theta = x.detach().numpy(), theta.detach().numpy()
    angle = positions.numpy()[:, None] * theta
    cos, sin = np.cos(angle), np.sin(angle)
    if pairing == "interleaved":
        a, b = x[..., 0::2], x[..., 1::2]
        return np.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(x.shape)
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], -1)


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)
