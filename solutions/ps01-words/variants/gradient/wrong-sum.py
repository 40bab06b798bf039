# wrong: gradients of the sum over the pairs
# loses: gradient--values gradient--mean gradient--large gradient--precision gradient--by-hand gradient--inputs
# told: those of the sum over the pairs
def negative_sampling_gradients(w, v, negatives):
    B = len(w)
    true = torch.sigmoid((w * v).sum(-1, keepdim=True)) - 1
    drawn = torch.sigmoid((negatives * w[:, None]).sum(-1, keepdim=True))
    dw = true * v + (drawn * negatives).sum(1)
    return dw, true * w, drawn * w[:, None]
