# right: each step of the way forward gone back by itself
def layer_norm_backward(x, gain, bias, eps, G):
    D = x.shape[-1]
    centred = x - x.mean(-1, keepdim=True)
    s = (centred.pow(2).mean(-1, keepdim=True) + eps) ** 0.5
    leading = tuple(range(x.dim() - 1))
    dgain, dbias = G * centred / s, G.clone()
    if leading:
        dgain, dbias = dgain.sum(leading), dbias.sum(leading)
    d_normal = G * gain
    d_centred = d_normal / s
    d_s = -(d_normal * centred).sum(-1, keepdim=True) / s**2
    d_variance = d_s / (2 * s)
    d_centred = d_centred + d_variance * 2 * centred / D
    d_mean = -d_centred.sum(-1, keepdim=True)
    return d_centred + d_mean / D, dgain, dbias
