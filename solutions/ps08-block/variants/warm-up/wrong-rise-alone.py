# wrong: only the rise
# loses: warm-up--by-hand warm-up--values warm-up--shape
# told: you take the rise
def noam(step, d_model, warmup):
    return d_model**-0.5 * step * warmup**-1.5


def factor_for(peak, d_model, warmup):
    return peak * math.sqrt(d_model * warmup)
