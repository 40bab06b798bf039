# wrong: the mean over the negatives
# loses: gradient--values gradient--large gradient--precision gradient--by-hand gradient--mean gradient--inputs
# told: mean over the negatives
def negative_sampling_gradients(w, v, negatives):
    B = len(w)
    true = torch.sigmoid((w * v).sum(-1, keepdim=True)) - 1
    drawn = torch.sigmoid((negatives * w[:, None]).sum(-1, keepdim=True))
    dw = true * v + (drawn * negatives).mean(1)
    return dw / B, true * w / B, drawn * w[:, None] / B
