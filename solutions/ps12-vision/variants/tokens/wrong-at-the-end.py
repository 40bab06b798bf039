# wrong: [CLS] at the end
# loses: tokens--by-hand tokens--batch tokens--head tokens--gradients tokens--refused
# told: CLS\] stands at the end
def encoder_input(patches, W_P, b_P, c, P):
    B, N, _ = patches.shape
    if len(P) != N + 1:
        raise ValueError(f"P has {len(P)} rows for {N + 1} tokens")
    x = patches @ W_P + b_P
    first = c.expand(B, 1, -1)
    return torch.cat([x, first], dim=1) + P


def class_logits(h, gain, bias, W, b, pool):
    h = F.layer_norm(h, gain.shape, gain, bias, eps=1e-6)
    if pool == "cls":
        read = h[:, -1]
    else:
        read = h[:, :-1].mean(dim=1)
    return read @ W + b
