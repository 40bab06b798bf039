# wrong: the course's own schedule
# loses: warm-up--by-hand warm-up--values warm-up--shape
# told: by hand
def noam(step, d_model, warmup):
    from tfcourse.training import schedules

    return schedules.noam(d_model, warmup)(step)


def factor_for(peak, d_model, warmup):
    return peak * math.sqrt(d_model * warmup)
