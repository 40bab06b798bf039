# wrong: adds norms
# loses: clipping--by-hand clipping--values clipping--short clipping--precision
# told: add the gradients' norms up
def clipped(gradients, c):
    norm = sum(g.norm().item() for g in gradients)
    return [g * min(1.0, c / norm) if norm else g for g in gradients]
