# wrong: divides the variance by D - 1
# loses: backward--by-hand backward--gain-and-bias backward--x backward--directions backward--measured backward--inputs
# told: by D - 1. Divide by D
def layer_norm_backward(x, gain, bias, eps, G):
    D = x.shape[-1]
    centred = x - x.mean(dim=-1, keepdim=True)
    s = (x.var(dim=-1, keepdim=True) + eps).sqrt()
    normal = centred / s
    g = G * gain
    dx = (g - g.mean(dim=-1, keepdim=True) - normal * (g * normal).mean(dim=-1, keepdim=True)) / s
    return dx, (G * normal).reshape(-1, D).sum(0), G.reshape(-1, D).sum(0)
