# right: sums over a flat batch of tokens, divided by D
def layer_norm(x, gain, bias, eps):
    D = x.shape[-1]
    rows = x.reshape(-1, D)
    rows = rows - rows.sum(1, keepdim=True) / D
    s = torch.sqrt(torch.einsum("nd,nd->n", rows, rows) / D + eps)
    return (rows / s[:, None]).reshape(x.shape) * gain + bias


def rms_norm(x, gain, eps):
    D = x.shape[-1]
    length = torch.einsum("...d,...d->...", x, x)
    return x / torch.sqrt(length / D + eps).unsqueeze(-1) * gain
