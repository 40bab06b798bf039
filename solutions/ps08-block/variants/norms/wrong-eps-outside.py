# wrong: adds eps to the deviation
# loses: norms--by-hand norms--values norms--far norms--gradients norms--tokens norms--inputs
# told: outside the root
def layer_norm(x, gain, bias, eps):
    deviation = x.std(dim=-1, correction=0, keepdim=True)
    return (x - x.mean(dim=-1, keepdim=True)) / (deviation + eps) * gain + bias



def rms_norm(x, gain, eps):
    square = x.square().mean(dim=-1, keepdim=True)
    return x / (square + eps).sqrt() * gain
