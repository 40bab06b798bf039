# right: two branches, the root over all of it
def noam(step, d_model, warmup):
    peak = 1 / math.sqrt(d_model * warmup)
    if step < warmup:
        return peak * step / warmup
    return peak * math.sqrt(warmup / step)


def factor_for(peak, d_model, warmup):
    return peak / noam(warmup, d_model, warmup)
