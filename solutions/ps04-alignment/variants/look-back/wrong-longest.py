# wrong: all taken to be as long as the longest
# loses: look-back--padding look-back--large look-back--gradients
# told: gives weight to padding|wrong
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place < lengths.max()
    hidden = scores.masked_fill(~real, -torch.inf)
    weights = hidden.softmax(dim=-1)
    context = weights[:, None, :] @ H
    return context[:, 0], weights
