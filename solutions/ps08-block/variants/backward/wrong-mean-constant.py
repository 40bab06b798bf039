# wrong: takes the mean for a constant
# loses: backward--by-hand backward--x backward--directions backward--measured
# told: the mean is taken for a constant
def layer_norm_backward(x, gain, bias, eps, G):
    D = x.shape[-1]
    centred = x - x.mean(dim=-1, keepdim=True)
    s = (centred.square().mean(dim=-1, keepdim=True) + eps).sqrt()
    normal = centred / s
    g = G * gain
    dx = (g - normal * (g * normal).mean(dim=-1, keepdim=True)) / s
    return dx, (G * normal).reshape(-1, D).sum(0), G.reshape(-1, D).sum(0)
