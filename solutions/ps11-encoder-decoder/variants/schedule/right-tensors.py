# right: tensors of 64 bits
def rate_of_batch(batch, every, d_model, warmup):
    step = torch.tensor(batch).div(every, rounding_mode="floor").double() + 1
    return torch.minimum(step**-0.5, step * warmup**-1.5) / d_model**0.5


def share_of_rise(updates, warmup):
    steps = torch.arange(1, updates + 1, dtype=torch.float64)
    rates = torch.minimum(steps.rsqrt(), steps / warmup**1.5)
    return (rates * (steps <= warmup)).sum() / rates.sum()
