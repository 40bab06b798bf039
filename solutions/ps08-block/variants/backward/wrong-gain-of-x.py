# wrong: the gradient of the gain is made of x
# loses: backward--by-hand backward--gain-and-bias backward--measured
# told: it is x̂ that the gain multiplies
def layer_norm_backward(x, gain, bias, eps, G):
    D = x.shape[-1]
    centred = x - x.mean(dim=-1, keepdim=True)
    s = (centred.square().mean(dim=-1, keepdim=True) + eps).sqrt()
    normal = centred / s
    g = G * gain
    dx = (g - g.mean(dim=-1, keepdim=True) - normal * (g * normal).mean(dim=-1, keepdim=True)) / s
    return dx, (G * x).reshape(-1, D).sum(0), G.reshape(-1, D).sum(0)
