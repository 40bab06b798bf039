# wrong: the sum of absolute values
# loses: clipping--by-hand clipping--values clipping--short clipping--precision clipping--zeros clipping--inputs
# told: absolute values
def clipped(gradients, c):
    norm = sum(g.abs().sum() for g in gradients).item()
    return [g * min(1.0, c / norm) if norm else g for g in gradients]
