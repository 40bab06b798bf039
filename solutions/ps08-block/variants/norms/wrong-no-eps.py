# wrong: eps is not used
# loses: norms--by-hand norms--values norms--far norms--gradients norms--rms norms--tokens norms--inputs
# told: the given ε is not added
def layer_norm(x, gain, bias, eps):
    mu = x.mean(dim=-1, keepdim=True)
    return (x - mu) / x.std(dim=-1, correction=0, keepdim=True) * gain + bias



def rms_norm(x, gain, eps):
    return x / x.square().mean(dim=-1, keepdim=True).sqrt() * gain
