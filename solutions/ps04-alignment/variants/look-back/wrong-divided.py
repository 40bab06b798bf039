# wrong: divided by the length once more
# loses: look-back--by-hand look-back--padding look-back--values look-back--large look-back--gradients
# told: already sum to 1
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place < lengths[:, None]
    hidden = scores.masked_fill(~real, -torch.inf)
    weights = hidden.softmax(dim=-1)
    context = weights[:, None, :] @ H
    return context[:, 0] / lengths[:, None], weights
