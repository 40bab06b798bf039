# wrong: takes every batch for a step
# loses: schedule--by-hand schedule--values
# told: makes a step of each batch
def rate_of_batch(batch, every, d_model, warmup):
    step = batch + 1
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def share_of_rise(updates, warmup):
    rates = [min(s**-0.5, s * warmup**-1.5) for s in range(1, updates + 1)]
    return sum(rates[:warmup]) / sum(rates)
