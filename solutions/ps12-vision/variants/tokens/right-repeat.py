# right: [CLS] repeated, positions in two parts
def encoder_input(patches, W_P, b_P, c, P):
    if patches.shape[1] + 1 != P.shape[0]:
        raise ValueError(f"{patches.shape[1]} patches, {len(P)} rows")
    x = F.linear(patches, W_P.T, b_P) + P[1:]
    first = (c + P[0])[None, None].repeat(len(patches), 1, 1)
    return torch.cat((first, x), 1)


def class_logits(h, gain, bias, W, b, pool):
    h = F.layer_norm(h, (h.shape[-1],), gain, bias, 1e-6)
    read = {"cls": h.select(1, 0), "mean": h.narrow(1, 1, h.shape[1] - 1)}
    if pool == "cls":
        return torch.addmm(b, read["cls"], W)
    return torch.addmm(b, read["mean"].sum(1) / (h.shape[1] - 1), W)
