# wrong: only the context comes back
# loses: look-back--by-hand look-back--padding look-back--values look-back--large look-back--gradients
# told: 2 results
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place < lengths[:, None]
    hidden = scores.masked_fill(~real, -torch.inf)
    weights = hidden.softmax(dim=-1)
    context = weights[:, None, :] @ H
    return context[:, 0]
