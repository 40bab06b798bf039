# wrong: gives one long vector
# loses: clipping--by-hand clipping--values clipping--short clipping--zeros clipping--precision clipping--inputs
# told: 2 results are asked for
def clipped(gradients, c):
    norm = math.sqrt(sum((g**2).sum() for g in gradients))
    return torch.cat([g.flatten() * (min(1.0, c / norm) if norm else 1.0) for g in gradients])
