# wrong: the weighted states not added up
# loses: look-back--by-hand look-back--padding look-back--values look-back--large look-back--gradients
# told: not added up|shape
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place < lengths[:, None]
    hidden = scores.masked_fill(~real, -torch.inf)
    weights = hidden.softmax(dim=-1)
    return weights[:, :, None] * H, weights
