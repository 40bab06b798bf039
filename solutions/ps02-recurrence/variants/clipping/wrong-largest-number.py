# wrong: the largest number
# loses: clipping--by-hand clipping--values clipping--precision clipping--zeros clipping--short clipping--inputs
# told: largest number for the norm
def clipped(gradients, c):
    norm = max(g.abs().max().item() for g in gradients)
    return [g * min(1.0, c / norm) if norm else g for g in gradients]
