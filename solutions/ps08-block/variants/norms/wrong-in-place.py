# wrong: takes the mean away in place
# loses: norms--inputs
# told: changes its input x
def layer_norm(x, gain, bias, eps):
    x -= x.mean(dim=-1, keepdim=True)
    return x / (x.square().mean(dim=-1, keepdim=True) + eps).sqrt() * gain + bias



def rms_norm(x, gain, eps):
    square = x.square().mean(dim=-1, keepdim=True)
    return x / (square + eps).sqrt() * gain
