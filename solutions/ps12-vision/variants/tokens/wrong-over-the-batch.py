# wrong: a table of any size, along the batch
# loses: tokens--by-hand tokens--batch tokens--refused tokens--gradients
# told: every image|Row n of P goes to image n
def encoder_input(patches, W_P, b_P, c, P):
    B, N, _ = patches.shape
    x = patches @ W_P + b_P
    first = c.expand(B, 1, -1)
    return torch.cat([first, x], dim=1) + P[:B, None]


def class_logits(h, gain, bias, W, b, pool):
    h = F.layer_norm(h, gain.shape, gain, bias, eps=1e-6)
    if pool == "cls":
        read = h[:, 0]
    else:
        read = h[:, 1:].mean(dim=1)
    return read @ W + b
