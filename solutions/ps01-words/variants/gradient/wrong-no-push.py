# wrong: w is not pushed by the noise
# loses: gradient--by-hand gradient--values gradient--large gradient--precision gradient--mean gradient--inputs
# told: only the true word is left
def negative_sampling_gradients(w, v, negatives):
    B = len(w)
    true = torch.sigmoid((w * v).sum(-1, keepdim=True)) - 1
    drawn = torch.sigmoid((negatives * w[:, None]).sum(-1, keepdim=True))
    dw = true * v
    return dw / B, true * w / B, drawn * w[:, None] / B
