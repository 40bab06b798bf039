# wrong: makes short ones longer
# loses: clipping--short
# told: never above 1
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    return [g * (c / norm) if norm else g for g in gradients]
