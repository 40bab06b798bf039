# right: the way back as a function of the rest
def through_time(x, W, U, b, G):
    def back(t, h):
        if t == len(x):
            return torch.zeros_like(h), []
        new = torch.tanh(x[t] @ W + h @ U + b)
        after, rest = back(t + 1, new)
        delta = (G[t] + after) * (1 - new * new)
        return delta @ U.mT, [(h, delta)] + rest

    _, both = back(0, torch.zeros_like(b))
    before = torch.stack([h for h, _ in both])
    delta = torch.stack([d for _, d in both])
    return (
        delta @ W.mT,
        torch.einsum("td,tk->dk", x, delta),
        torch.einsum("td,tk->dk", before, delta),
        delta.sum(0),
    )
