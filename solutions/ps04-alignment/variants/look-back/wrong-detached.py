# wrong: weights cut off from the scores
# loses: look-back--gradients
# told: gradient
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place < lengths[:, None]
    hidden = scores.masked_fill(~real, -torch.inf)
    weights = hidden.softmax(dim=-1).detach()
    context = weights[:, None, :] @ H
    return context[:, 0], weights
