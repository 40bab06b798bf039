# wrong: gives them as they came
# loses: clipping--by-hand clipping--values clipping--precision clipping--zeros clipping--short clipping--inputs
# told: Nothing is shortened
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    return list(gradients)
