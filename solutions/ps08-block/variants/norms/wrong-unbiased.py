# wrong: PyTorch's var as it comes divides by D - 1
# loses: norms--by-hand norms--values norms--far norms--gradients norms--tokens norms--inputs
# told: by D - 1. Divide by D
def layer_norm(x, gain, bias, eps):
    variance = x.var(dim=-1, keepdim=True)
    return (x - x.mean(dim=-1, keepdim=True)) / (variance + eps).sqrt() * gain + bias



def rms_norm(x, gain, eps):
    square = x.square().mean(dim=-1, keepdim=True)
    return x / (square + eps).sqrt() * gain
