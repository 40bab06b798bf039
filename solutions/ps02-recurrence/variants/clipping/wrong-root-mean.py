# wrong: the mean of squares
# loses: clipping--by-hand clipping--values clipping--precision clipping--zeros clipping--short clipping--inputs
# told: mean of the squares
def clipped(gradients, c):
    norm = torch.cat([g.flatten() for g in gradients]).square().mean().sqrt().item()
    return [g * min(1.0, c / norm) if norm else g for g in gradients]
