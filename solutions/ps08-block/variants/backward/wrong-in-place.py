# wrong: multiplies G by the gain in place
# loses: backward--by-hand backward--gain-and-bias backward--measured backward--inputs
# told: changes its input G
def layer_norm_backward(x, gain, bias, eps, G):
    D = x.shape[-1]
    centred = x - x.mean(dim=-1, keepdim=True)
    s = (centred.square().mean(dim=-1, keepdim=True) + eps).sqrt()
    normal = centred / s
    g = G.mul_(gain)
    dx = (g - g.mean(dim=-1, keepdim=True) - normal * (g * normal).mean(dim=-1, keepdim=True)) / s
    return dx, (G * normal).reshape(-1, D).sum(0), G.reshape(-1, D).sum(0)
