# wrong: counts the steps from 0
# loses: warm-up--by-hand warm-up--values warm-up--shape
# told: count from 0
def noam(step, d_model, warmup):
    step = step - 1
    if step == 0:
        return 0.0
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def factor_for(peak, d_model, warmup):
    return peak * math.sqrt(d_model * warmup)
