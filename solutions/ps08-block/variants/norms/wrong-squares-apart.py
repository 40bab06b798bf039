# wrong: the mean of the squares less the square of the mean
# loses: norms--far
# told: lost in rounding
def layer_norm(x, gain, bias, eps):
    mu = x.mean(dim=-1, keepdim=True)
    variance = (x * x).mean(dim=-1, keepdim=True) - mu * mu
    return (x - mu) / (variance + eps).sqrt() * gain + bias



def rms_norm(x, gain, eps):
    square = x.square().mean(dim=-1, keepdim=True)
    return x / (square + eps).sqrt() * gain
