# wrong: no sigmoid
# loses: gradient--by-hand gradient--values gradient--large gradient--precision gradient--mean gradient--inputs
# told: scores without their sigmoid
def negative_sampling_gradients(w, v, negatives):
    B = len(w)
    true = ((w * v).sum(-1, keepdim=True)) - 1
    drawn = ((negatives * w[:, None]).sum(-1, keepdim=True))
    dw = true * v + (drawn * negatives).sum(1)
    return dw / B, true * w / B, drawn * w[:, None] / B
