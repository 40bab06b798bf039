# wrong: e^s / (1 + e^s)
# loses: gradient--large
# told: does not survive a large score
def negative_sampling_gradients(w, v, negatives):
    B = len(w)
    e_true = torch.exp((w * v).sum(-1, keepdim=True))
    e_drawn = torch.exp((negatives * w[:, None]).sum(-1, keepdim=True))
    true, drawn = e_true / (1 + e_true) - 1, e_drawn / (1 + e_drawn)
    dw = true * v + (drawn * negatives).sum(1)
    return dw / B, true * w / B, drawn * w[:, None] / B
