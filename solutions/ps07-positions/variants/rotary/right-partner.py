# right: x cos + partner sin, as checkpoints' own code has it
def rotary(x, positions, theta, pairing="interleaved"):
    angle = torch.outer(positions.to(theta.dtype), theta)
    if pairing == "halves":
        wide = torch.cat([angle, angle], dim=-1)
        a, b = x.tensor_split(2, dim=-1)
        partner = torch.cat([-b, a], dim=-1)
    else:
        wide = angle.repeat_interleave(2, dim=-1)
        partner = torch.empty_like(x)
        partner[..., 0::2] = -x[..., 1::2]
        partner[..., 1::2] = x[..., 0::2]
    return x * wide.cos() + partner * wide.sin()


def to_halves(W, heads):
    K = W.shape[1] // heads
    order = [h * K + c for h in range(heads) for c in [*range(0, K, 2), *range(1, K, 2)]]
    return W[:, order]
