# wrong: takes a root and squares it, which has no gradient at 0
# loses: norms--gradients
# told: infinite slope
def layer_norm(x, gain, bias, eps):
    centred = x - x.mean(dim=-1, keepdim=True)
    sigma = centred.square().mean(dim=-1, keepdim=True).sqrt()
    return centred / (sigma**2 + eps).sqrt() * gain + bias



def rms_norm(x, gain, eps):
    square = x.square().mean(dim=-1, keepdim=True)
    return x / (square + eps).sqrt() * gain
