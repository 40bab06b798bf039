# wrong: the slope of the sigmoid, not of its logarithm
# loses: gradient--by-hand gradient--values gradient--large gradient--precision gradient--mean gradient--inputs
# told: cancels one of the two
def negative_sampling_gradients(w, v, negatives):
    B = len(w)
    true = torch.sigmoid((w * v).sum(-1, keepdim=True))
    drawn = torch.sigmoid((negatives * w[:, None]).sum(-1, keepdim=True))
    true, drawn = -true * (1 - true), drawn * (1 - drawn)
    dw = true * v + (drawn * negatives).sum(1)
    return dw / B, true * w / B, drawn * w[:, None] / B
