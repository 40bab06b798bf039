# wrong: adds the angles to the coordinates
# loses: rotary--by-hand rotary--interleaved rotary--halves rotary--relative rotary--gradients rotary--inputs
# told: it must depend on the distance alone
def rotary(x, positions, theta, pairing="interleaved"):
    angle = positions[:, None] * theta
    return x + torch.cat([angle, angle], dim=-1)


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)
