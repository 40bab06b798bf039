# wrong: each number at ±c
# loses: clipping--by-hand clipping--values clipping--precision clipping--zeros clipping--short clipping--inputs
# told: Each number is clipped
def clipped(gradients, c):
    norm = None
    return [g.clamp(-c, c) for g in gradients]
