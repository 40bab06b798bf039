# wrong: one mean and one variance for all tokens of a text
# loses: embed--by-hand embed--values embed--same-word embed--gradients embed--too-long
# told: over a whole text
def embed(ids, segments, E, P, S, gain, bias, eps):
    T, N = ids.shape[1], len(P)
    if T > N:
        raise ValueError(f"{T} tokens, and only {N} places")
    x = E[ids] + P[:T] + S[segments]
    return F.layer_norm(x, x.shape[1:], eps=eps) * gain + bias
