# wrong: the places of the second text begin at 0 again
# loses: embed--by-hand embed--values embed--gradients embed--same-word embed--too-long
# told: begin anew
def embed(ids, segments, E, P, S, gain, bias, eps):
    B, T = ids.shape
    if T > len(P):
        raise ValueError(f"T must be at most {len(P)}, got {T}")
    of_first = (segments == 0).sum(dim=1, keepdim=True)
    places = torch.arange(T) - of_first * segments
    return F.layer_norm(E[ids] + P[places] + S[segments], gain.shape, gain, bias, eps)
