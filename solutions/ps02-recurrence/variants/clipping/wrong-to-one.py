# wrong: to norm 1
# loses: clipping--values clipping--precision clipping--zeros clipping--by-hand clipping--short clipping--inputs
# told: comes out with norm 1
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    return [g / norm if norm > c else g for g in gradients]
