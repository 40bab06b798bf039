# wrong: always divides
# loses: clipping--short clipping--zeros
# told: never above 1|the factor is 1
def clipped(gradients, c):
    norm = torch.sqrt(sum((g**2).sum() for g in gradients))
    return [g * (c / norm) for g in gradients]
