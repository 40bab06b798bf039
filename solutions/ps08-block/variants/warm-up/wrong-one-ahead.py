# wrong: adds 1, as for steps that start at 0
# loses: warm-up--by-hand warm-up--values warm-up--shape
# told: one step ahead
def noam(step, d_model, warmup):
    step = step + 1
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def factor_for(peak, d_model, warmup):
    return peak * math.sqrt(d_model * warmup)
