# wrong: a division by a norm of 0
# loses: clipping--zeros
# told: ZeroDivision|division by zero
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    return [g * min(1.0, c / norm) for g in gradients]
