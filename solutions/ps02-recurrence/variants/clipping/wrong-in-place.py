# wrong: scales the gradients themselves
# loses: clipping--inputs
# told: changes the gradients
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    if norm > c:
        for g in gradients:
            g *= c / norm
    return gradients
