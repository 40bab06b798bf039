# wrong: counts updates instead of adding rates
# loses: schedule--share
# told: share of the updates
def rate_of_batch(batch, every, d_model, warmup):
    step = batch // every + 1
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def share_of_rise(updates, warmup):
    return min(1.0, warmup / updates)
