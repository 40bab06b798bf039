# wrong: one gradient for all negatives of a pair
# loses: gradient--by-hand gradient--values gradient--mean gradient--large gradient--precision gradient--inputs
# told: added up over them
def negative_sampling_gradients(w, v, negatives):
    B = len(w)
    true = torch.sigmoid((w * v).sum(-1, keepdim=True)) - 1
    drawn = torch.sigmoid((negatives * w[:, None]).sum(-1, keepdim=True))
    dw = true * v + (drawn * negatives).sum(1)
    return dw / B, true * w / B, (drawn * w[:, None]).sum(1) / B
