# wrong: PyTorch's own way back
# loses: backward--by-hand backward--gain-and-bias backward--x backward--directions backward--measured backward--inputs
# told: by hand
def layer_norm_backward(x, gain, bias, eps, G):
    mean = x.mean(dim=-1, keepdim=True)
    rstd = (x.var(dim=-1, correction=0, keepdim=True) + eps).rsqrt()
    return torch.ops.aten.native_layer_norm_backward(
        G, x, [x.shape[-1]], mean, rstd, gain, bias, [True, True, True]
    )
