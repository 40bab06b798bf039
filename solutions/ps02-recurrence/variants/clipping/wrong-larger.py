# wrong: max instead of min
# loses: clipping--by-hand clipping--values clipping--short clipping--precision clipping--zeros clipping--inputs
# told: Nothing is shortened|never above 1
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    return [g * max(1.0, c / norm) if norm else g for g in gradients]
