# right: a matrix for the rows, and one for the columns
def mended_resized(P, old, new):
    def stretch(n, m):
        at = torch.linspace(0, n - 1, m, dtype=P.dtype)[:, None]
        far = (at - torch.arange(n)).abs()
        return (1 - far).clamp(min=0)

    table = P[1:].unflatten(0, old)
    down, across = (stretch(n, m) for n, m in zip(old, new))
    found = torch.einsum("ir,jc,rcd->ijd", down, across, table)
    return torch.cat([P[:1], found.flatten(0, 1)])
