# right: a branch for rise and fall, running sums
def rate_of_batch(batch, every, d_model, warmup):
    update = 1 + (batch - batch % every) // every
    peak = 1 / math.sqrt(d_model * warmup)
    if update < warmup:
        return peak * update / warmup
    return peak * math.sqrt(warmup / update)


def share_of_rise(updates, warmup):
    rise = whole = 0.0
    for n in range(updates):
        rate = (n + 1) / warmup if n + 1 < warmup else math.sqrt(warmup / (n + 1))
        whole += rate
        rise += rate if n < warmup else 0.0
    return rise / whole
