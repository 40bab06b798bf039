# wrong: a table of 32 bits
# loses: gradient--precision
# told: float32, while its inputs are float64
def negative_sampling_gradients(w, v, negatives):
    B = len(w)
    w, v, negatives = w.float(), v.float(), negatives.float()
    true = torch.sigmoid((w * v).sum(-1, keepdim=True)) - 1
    drawn = torch.sigmoid((negatives * w[:, None]).sum(-1, keepdim=True))
    dw = true * v + (drawn * negatives).sum(1)
    return dw / B, true * w / B, drawn * w[:, None] / B
