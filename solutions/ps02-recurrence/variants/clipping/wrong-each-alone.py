# wrong: each gradient by its own norm
# loses: clipping--by-hand clipping--values clipping--precision
# told: clipped by its own norm
def clipped(gradients, c):
    found = []
    for g in gradients:
        norm = g.norm().item()
        found.append(g * (c / norm) if norm > c else g)
    return found
