# wrong: axis 1 is the numbers of a token only for a matrix
# loses: norms--values norms--tokens norms--gradients
# told: are taken over the tokens
def layer_norm(x, gain, bias, eps):
    centred = x - x.mean(dim=1, keepdim=True)
    variance = centred.square().mean(dim=1, keepdim=True)
    return centred / (variance + eps).sqrt() * gain + bias



def rms_norm(x, gain, eps):
    square = x.square().mean(dim=-1, keepdim=True)
    return x / (square + eps).sqrt() * gain
