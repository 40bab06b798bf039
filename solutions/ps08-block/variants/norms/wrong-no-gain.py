# wrong: forgets gain and bias
# loses: norms--by-hand norms--values norms--gradients
# told: gain and bias are missing
def layer_norm(x, gain, bias, eps):
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / (centred.square().mean(dim=-1, keepdim=True) + eps).sqrt()



def rms_norm(x, gain, eps):
    square = x.square().mean(dim=-1, keepdim=True)
    return x / (square + eps).sqrt() * gain
