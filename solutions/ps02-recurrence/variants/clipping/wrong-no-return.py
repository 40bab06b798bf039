# wrong: forgets to return
# loses: clipping--by-hand clipping--values clipping--short clipping--zeros clipping--precision clipping--inputs
# told: 2 results are asked for.*nothing
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    [g * min(1.0, c / norm) if norm else g for g in gradients]
