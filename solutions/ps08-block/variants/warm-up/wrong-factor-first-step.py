# wrong: scales the first step to the peak
# loses: warm-up--factor
# told: comes at step warmup
def noam(step, d_model, warmup):
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def factor_for(peak, d_model, warmup):
    return peak / noam(1, d_model, warmup)
