# wrong: what is too long gets the last place
# loses: embed--too-long
# told: which rows did the last ones get
def embed(ids, segments, E, P, S, gain, bias, eps):
    places = torch.arange(ids.shape[1]).clamp(max=len(P) - 1)
    x = E[ids] + P[places] + S[segments]
    return F.layer_norm(x, gain.shape, gain, bias, eps)
