# wrong: adds 1e-6, as PyTorch does
# loses: clipping--precision clipping--values clipping--zeros clipping--by-hand clipping--short clipping--inputs
# told: plus 1e-06
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients)) + 1e-6
    return [g * min(1.0, c / norm) if norm else g for g in gradients]
