# wrong: in 32 bits
# loses: clipping--values clipping--short clipping--zeros clipping--precision clipping--by-hand clipping--inputs
# told: float32, while
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    return [(g * min(1.0, c / norm) if norm else g).float() for g in gradients]
