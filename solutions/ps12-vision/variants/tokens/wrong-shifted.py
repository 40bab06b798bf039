# wrong: positions added before [CLS] is put in front
# loses: tokens--by-hand tokens--batch tokens--gradients tokens--refused
# told: positions are added before
def encoder_input(patches, W_P, b_P, c, P):
    B, N, _ = patches.shape
    if len(P) != N + 1:
        raise ValueError(f"P has {len(P)} rows for {N + 1} tokens")
    x = patches @ W_P + b_P + P[:-1]
    first = c.expand(B, 1, -1)
    return torch.cat([first, x], dim=1)


def class_logits(h, gain, bias, W, b, pool):
    h = F.layer_norm(h, gain.shape, gain, bias, eps=1e-6)
    if pool == "cls":
        read = h[:, 0]
    else:
        read = h[:, 1:].mean(dim=1)
    return read @ W + b
