# right: number by number
def clipped(gradients, c):
    total = 0.0
    for g in gradients:
        for number in g.flatten().tolist():
            total += number * number
    length = total**0.5
    factor = min(1.0, c / length) if length else 1.0
    return tuple(torch.mul(g, factor) for g in gradients)
