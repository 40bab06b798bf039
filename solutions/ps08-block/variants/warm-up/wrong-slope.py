# wrong: a rise of step / warmup
# loses: warm-up--by-hand warm-up--values warm-up--shape
# told: the rise has another slope
def noam(step, d_model, warmup):
    return d_model**-0.5 * min(step**-0.5, step / warmup)


def factor_for(peak, d_model, warmup):
    return peak * math.sqrt(d_model * warmup)
