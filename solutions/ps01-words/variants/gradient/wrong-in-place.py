# wrong: works in the inputs' own memory
# loses: gradient--inputs
# told: changes its input v
def negative_sampling_gradients(w, v, negatives):
    B = len(w)
    true = (torch.sigmoid((w * v).sum(-1, keepdim=True)) - 1) / B
    drawn = torch.sigmoid((negatives * w[:, None]).sum(-1, keepdim=True)) / B
    dv, dn = true * w, drawn * w[:, None]
    dw = v.mul_(true) + negatives.mul_(drawn).sum(1)
    return dw, dv, dn
