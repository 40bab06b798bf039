# right: exponentials of what is left of the largest real score
def look_back(scores, H, lengths):
    places = torch.arange(scores.shape[1]).expand_as(scores)
    padding = places >= lengths.unsqueeze(1)
    lowest = torch.finfo(scores.dtype).min
    scores = torch.where(padding, lowest, scores)
    powers = torch.exp(scores - scores.max(dim=1, keepdim=True).values)
    weights = powers / powers.sum(dim=1, keepdim=True)
    return torch.einsum("bs,bsd->bd", weights, H), weights
