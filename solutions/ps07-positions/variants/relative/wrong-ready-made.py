# wrong: calls the course's own
# loses: relative--by-hand relative--values relative--clipping relative--last relative--gradients relative--inputs
# told: writes by hand
def relative_bias(q, a, S):
    from tfcourse.positions import RelativePositions

    scheme = RelativePositions(q.shape[-1], len(a) // 2)
    scheme.a = nn.Parameter(a)
    return scheme.bias(q, S)
