# wrong: RMSNorm that takes the mean away
# loses: norms--rms norms--gradients norms--tokens norms--inputs
# told: layer norm without its bias
def layer_norm(x, gain, bias, eps):
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / (variance + eps).sqrt() * gain + bias



def rms_norm(x, gain, eps):
    x = x - x.mean(dim=-1, keepdim=True)
    return x / (x.square().mean(dim=-1, keepdim=True) + eps).sqrt() * gain
