# wrong: one place of padding seen
# loses: look-back--padding look-back--large look-back--gradients
# told: one place too many
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place <= lengths[:, None]
    hidden = scores.masked_fill(~real, -torch.inf)
    weights = hidden.softmax(dim=-1)
    context = weights[:, None, :] @ H
    return context[:, 0], weights
