# wrong: all cut to the shortest
# loses: look-back--padding look-back--large look-back--gradients
# told: cut to the shortest|wrong
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place < lengths.min()
    hidden = scores.masked_fill(~real, -torch.inf)
    weights = hidden.softmax(dim=-1)
    context = weights[:, None, :] @ H
    return context[:, 0], weights
