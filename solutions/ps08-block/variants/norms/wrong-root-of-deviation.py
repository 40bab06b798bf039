# wrong: the lecture's formula with sigma for sigma squared
# loses: norms--by-hand norms--values norms--far norms--gradients norms--tokens norms--inputs
# told: as one of the lectures has it
def layer_norm(x, gain, bias, eps):
    mu = x.mean(dim=-1, keepdim=True)
    sigma = (x - mu).square().mean(dim=-1, keepdim=True).add(1e-30).sqrt()
    return (x - mu) / (sigma + eps).sqrt() * gain + bias



def rms_norm(x, gain, eps):
    square = x.square().mean(dim=-1, keepdim=True)
    return x / (square + eps).sqrt() * gain
