# wrong: the words times √D, as in the Transformer of 2017
# loses: embed--by-hand embed--values embed--gradients embed--same-word embed--too-long
# told: multiplied by √D
def embed(ids, segments, E, P, S, gain, bias, eps):
    T, D = ids.shape[1], E.shape[1]
    if T > len(P):
        raise ValueError(f"T must be at most {len(P)}, got {T}")
    x = math.sqrt(D) * E[ids] + P[:T] + S[segments]
    return F.layer_norm(x, (D,), gain, bias, eps)
