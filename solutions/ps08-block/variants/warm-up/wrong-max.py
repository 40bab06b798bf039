# wrong: the larger of the two
# loses: warm-up--by-hand warm-up--values warm-up--shape
# told: you take the fall
def noam(step, d_model, warmup):
    return d_model**-0.5 * max(step**-0.5, step * warmup**-1.5)


def factor_for(peak, d_model, warmup):
    return peak * math.sqrt(d_model * warmup)
