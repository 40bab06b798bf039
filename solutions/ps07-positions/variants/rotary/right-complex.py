# right: pairs as complex numbers
def rotary(x, positions, theta, pairing="interleaved"):
    turn = torch.polar(torch.ones_like(positions[:, None] * theta), positions[:, None] * theta)
    half = x.shape[-1] // 2
    if pairing == "halves":
        z = torch.complex(x[..., :half], x[..., half:]) * turn
        return torch.cat([z.real, z.imag], dim=-1)
    z = torch.view_as_complex(x.reshape(*x.shape[:-1], half, 2).contiguous()) * turn
    return torch.view_as_real(z).flatten(-2)


def to_halves(W, heads):
    parts = [torch.cat([w[:, 0::2], w[:, 1::2]], dim=1) for w in W.chunk(heads, dim=1)]
    return torch.cat(parts, dim=1)
