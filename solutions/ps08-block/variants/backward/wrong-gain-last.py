# wrong: the gain after the means
# loses: backward--by-hand backward--x backward--directions backward--measured
# told: applies the gain after the means
def layer_norm_backward(x, gain, bias, eps, G):
    D = x.shape[-1]
    centred = x - x.mean(dim=-1, keepdim=True)
    s = (centred.square().mean(dim=-1, keepdim=True) + eps).sqrt()
    normal = centred / s
    g = G
    dx = (g - g.mean(dim=-1, keepdim=True) - normal * (g * normal).mean(dim=-1, keepdim=True)) / s * gain
    return dx, (G * normal).reshape(-1, D).sum(0), G.reshape(-1, D).sum(0)
