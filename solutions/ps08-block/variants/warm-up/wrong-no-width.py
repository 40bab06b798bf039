# wrong: forgets d_model
# loses: warm-up--by-hand warm-up--values warm-up--factor
# told: d_model is missing
def noam(step, d_model, warmup):
    return min(step**-0.5, step * warmup**-1.5)


def factor_for(peak, d_model, warmup):
    return peak * math.sqrt(warmup)
