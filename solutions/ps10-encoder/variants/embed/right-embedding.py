# right: PyTorch's look-up, the norm written out
def embed(ids, segments, E, P, S, gain, bias, eps):
    B, T = ids.shape
    N, D = P.shape
    if T > N:
        raise ValueError(f"T must be at most {N}, got {T}")
    places = torch.arange(T).repeat(B, 1)
    x = F.embedding(ids, E) + F.embedding(segments, S) + F.embedding(places, P)
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / (variance + eps).sqrt() * gain + bias
