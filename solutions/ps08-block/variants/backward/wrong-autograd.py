# wrong: lets autograd find it
# loses: backward--by-hand backward--gain-and-bias backward--x backward--directions backward--measured backward--inputs
# told: lets PyTorch find the gradient
def layer_norm_backward(x, gain, bias, eps, G):
    x, gain, bias = (t.detach().requires_grad_() for t in (x, gain, bias))
    centred = x - x.mean(dim=-1, keepdim=True)
    y = centred / (centred.square().mean(dim=-1, keepdim=True) + eps).sqrt() * gain + bias
    y.backward(G)
    return x.grad, gain.grad, bias.grad
