# right: an empty tensor, filled
def encoder_input(patches, W_P, b_P, c, P):
    B, N, n = patches.shape
    if P.shape[0] - 1 != N:
        raise ValueError("the table fits images of another size")
    h = patches.new_empty(B, N + 1, len(c))
    h[:, 0] = c + P[0]
    h[:, 1:] = torch.einsum("bni,id->bnd", patches, W_P) + b_P + P[1:]
    return h


def class_logits(h, gain, bias, W, b, pool):
    if pool == "mean":
        h = h[:, 1:]
    else:
        h = h[:, :1]
    middle = h.mean(-1, keepdim=True)
    spread = h.var(-1, correction=0, keepdim=True)
    h = (h - middle) / (spread + 1e-6).sqrt() * gain + bias
    return (h @ W + b).mean(dim=1)
