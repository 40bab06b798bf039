# wrong: counts updates from 0, and makes an exception of the first
# loses: schedule--by-hand schedule--values
# told: count from 0
def rate_of_batch(batch, every, d_model, warmup):
    step = batch // every
    if step == 0:
        return 0.0
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def share_of_rise(updates, warmup):
    rates = [min(s**-0.5, s * warmup**-1.5) for s in range(1, updates + 1)]
    return sum(rates[:warmup]) / sum(rates)
