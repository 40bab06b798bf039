# wrong: [CLS] in the mean, and the norm behind it
# loses: tokens--head
# told: mean is over all tokens|norm comes after the mean|norm
def encoder_input(patches, W_P, b_P, c, P):
    B, N, _ = patches.shape
    if len(P) != N + 1:
        raise ValueError(f"P has {len(P)} rows for {N + 1} tokens")
    x = patches @ W_P + b_P
    first = c.expand(B, 1, -1)
    return torch.cat([first, x], dim=1) + P


def class_logits(h, gain, bias, W, b, pool):
    if pool == "cls":
        read = h[:, 0]
    else:
        read = h.mean(dim=1)
    read = F.layer_norm(read, gain.shape, gain, bias, eps=1e-6)
    return read @ W + b
