# wrong: the segments are forgotten
# loses: embed--by-hand embed--values embed--same-word embed--gradients embed--too-long
# told: the segments are missing
def embed(ids, segments, E, P, S, gain, bias, eps):
    B, T = ids.shape
    if T > len(P):
        raise ValueError(f"T must be at most {len(P)}, got {T}")
    return F.layer_norm(E[ids] + P[:T], gain.shape, gain, bias, eps)
