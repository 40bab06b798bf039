# wrong: the norm with the ε that it has by itself
# loses: tokens--head
# told: ε is 10⁻⁵
def encoder_input(patches, W_P, b_P, c, P):
    B, N, _ = patches.shape
    if len(P) != N + 1:
        raise ValueError(f"P has {len(P)} rows for {N + 1} tokens")
    x = patches @ W_P + b_P
    first = c.expand(B, 1, -1)
    return torch.cat([first, x], dim=1) + P


def class_logits(h, gain, bias, W, b, pool):
    h = F.layer_norm(h, gain.shape, gain, bias)
    if pool == "cls":
        read = h[:, 0]
    else:
        read = h[:, 1:].mean(dim=1)
    return read @ W + b
