# wrong: angles in halves, partners interleaved
# loses: rotary--interleaved rotary--relative rotary--gradients
# told: laid out for the other pairing
def rotary(x, positions, theta, pairing="interleaved"):
    angle = positions[:, None] * theta
    wide = torch.cat([angle, angle], dim=-1)
    if pairing == "interleaved":
        partner = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    else:
        a, b = x.chunk(2, dim=-1)
        partner = torch.cat([-b, a], dim=-1)
    return x * wide.cos() + partner * wide.sin()


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)
