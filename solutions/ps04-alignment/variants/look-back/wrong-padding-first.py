# wrong: padding taken to stand first
# loses: look-back--padding look-back--large look-back--gradients
# told: stand first
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place >= scores.shape[1] - lengths[:, None]
    hidden = scores.masked_fill(~real, -torch.inf)
    weights = hidden.softmax(dim=-1)
    context = weights[:, None, :] @ H
    return context[:, 0], weights
