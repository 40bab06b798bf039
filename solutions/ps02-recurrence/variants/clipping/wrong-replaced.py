# wrong: puts new ones into the list it was given
# loses: clipping--inputs
# told: changes the gradients
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    for k in range(len(gradients)):
        if norm > c:
            gradients[k] = gradients[k] * (c / norm)
    return gradients
