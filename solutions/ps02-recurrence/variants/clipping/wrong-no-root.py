# wrong: the sum of squares
# loses: clipping--by-hand clipping--values clipping--short clipping--precision clipping--zeros clipping--inputs
# told: root is missing
def clipped(gradients, c):
    norm = sum((g**2).sum() for g in gradients).item()
    return [g * min(1.0, c / norm) if norm else g for g in gradients]
