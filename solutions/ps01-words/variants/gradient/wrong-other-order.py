# wrong: v's gradient first
# loses: gradient--by-hand gradient--values gradient--mean gradient--large gradient--precision gradient--inputs
# told: the gradient of w|shape
def negative_sampling_gradients(w, v, negatives):
    B = len(w)
    true = torch.sigmoid((w * v).sum(-1, keepdim=True)) - 1
    drawn = torch.sigmoid((negatives * w[:, None]).sum(-1, keepdim=True))
    dw = true * v + (drawn * negatives).sum(1)
    return true * w / B, drawn * w[:, None] / B, dw / B
