# wrong: stays at its peak
# loses: warm-up--by-hand warm-up--values warm-up--shape
# told: stays at its peak
def noam(step, d_model, warmup):
    return d_model**-0.5 * min(warmup**-0.5, step * warmup**-1.5)


def factor_for(peak, d_model, warmup):
    return peak * math.sqrt(d_model * warmup)
