# wrong: forgets the gain on the way to x
# loses: backward--by-hand backward--x backward--measured
# told: the gain is missing on the way back to x
def layer_norm_backward(x, gain, bias, eps, G):
    D = x.shape[-1]
    centred = x - x.mean(dim=-1, keepdim=True)
    s = (centred.square().mean(dim=-1, keepdim=True) + eps).sqrt()
    normal = centred / s
    g = G
    dx = (g - g.mean(dim=-1, keepdim=True) - normal * (g * normal).mean(dim=-1, keepdim=True)) / s
    return dx, (G * normal).reshape(-1, D).sum(0), G.reshape(-1, D).sum(0)
