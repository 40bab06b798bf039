# wrong: drops what is too long
# loses: clipping--by-hand clipping--values clipping--zeros clipping--precision clipping--short clipping--inputs
# told: is dropped
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    return [torch.zeros_like(g) if norm > c else g for g in gradients]
