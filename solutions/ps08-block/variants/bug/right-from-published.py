# right: the published deviation put right, the gain found by trying the published norm
def mended_norm(x, gain, bias, eps=1e-6):
    D = x.shape[-1]
    variance = x.var(dim=-1, keepdim=True) * (D - 1) / D
    return torch.addcmul(bias, gain, (x - x.mean(dim=-1, keepdim=True)) * torch.rsqrt(variance + eps))


def carried_over(gain):
    one = torch.ones_like(gain)
    example = torch.arange(len(gain)).to(gain)
    was = published_norm(example, one, 0 * one, 0.0)
    now = mended_norm(example, one, 0 * one, 0.0)
    return gain * was[0] / now[0]
