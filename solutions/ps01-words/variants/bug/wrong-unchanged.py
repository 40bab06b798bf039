# wrong: the published code as it was
# loses: bug--centres bug--contexts
# told: moves for one of them only
def mended_step(W, V, centre, context, negatives, rate):
    return step(W, V, centre, context, negatives, rate)
