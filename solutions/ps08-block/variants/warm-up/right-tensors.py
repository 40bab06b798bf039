# right: tensors, the rate in 32 bits and the factor in 64
def noam(step, d_model, warmup):
    s = torch.tensor(float(step))
    both = torch.stack([s.rsqrt(), s / warmup**1.5])
    return both.min() / math.sqrt(d_model)


def factor_for(peak, d_model, warmup):
    return torch.tensor(float(d_model * warmup), dtype=torch.float64).sqrt() * peak
