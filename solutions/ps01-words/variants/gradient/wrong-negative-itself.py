# wrong: negatives move along themselves
# loses: gradient--by-hand gradient--values gradient--large gradient--precision gradient--mean gradient--inputs
# told: multiple of the negative itself
def negative_sampling_gradients(w, v, negatives):
    B = len(w)
    true = torch.sigmoid((w * v).sum(-1, keepdim=True)) - 1
    drawn = torch.sigmoid((negatives * w[:, None]).sum(-1, keepdim=True))
    dw = true * v + (drawn * negatives).sum(1)
    return dw / B, true * w / B, drawn * negatives / B
