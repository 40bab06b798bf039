# wrong: the largest of the norms
# loses: clipping--by-hand clipping--values clipping--precision
# told: largest of the gradients' norms
def clipped(gradients, c):
    norm = max(g.norm().item() for g in gradients)
    return [g * min(1.0, c / norm) if norm else g for g in gradients]
