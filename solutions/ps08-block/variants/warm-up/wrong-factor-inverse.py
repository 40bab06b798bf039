# wrong: the factor turned round
# loses: warm-up--factor
# told: the factor is turned round
def noam(step, d_model, warmup):
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def factor_for(peak, d_model, warmup):
    return (d_model * warmup) ** -0.5 / peak
