# wrong: adds up over the first axis alone
# loses: backward--gain-and-bias
# told: add up over all axes but the last
def layer_norm_backward(x, gain, bias, eps, G):
    D = x.shape[-1]
    centred = x - x.mean(dim=-1, keepdim=True)
    s = (centred.square().mean(dim=-1, keepdim=True) + eps).sqrt()
    normal = centred / s
    g = G * gain
    dx = (g - g.mean(dim=-1, keepdim=True) - normal * (g * normal).mean(dim=-1, keepdim=True)) / s
    return dx, (G * normal).sum(0), G.sum(0)
