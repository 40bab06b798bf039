# wrong: divides by the length of the token
# loses: norms--rms norms--gradients norms--tokens norms--inputs
# told: length of the token
def layer_norm(x, gain, bias, eps):
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / (variance + eps).sqrt() * gain + bias



def rms_norm(x, gain, eps):
    return x / (x.square().sum(dim=-1, keepdim=True) + eps).sqrt() * gain
