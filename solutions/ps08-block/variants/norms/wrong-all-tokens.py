# wrong: one mean and one variance for everything
# loses: norms--values norms--tokens norms--far norms--gradients
# told: over all tokens together
def layer_norm(x, gain, bias, eps):
    centred = x - x.mean()
    return centred / (centred.square().mean() + eps).sqrt() * gain + bias



def rms_norm(x, gain, eps):
    square = x.square().mean(dim=-1, keepdim=True)
    return x / (square + eps).sqrt() * gain
