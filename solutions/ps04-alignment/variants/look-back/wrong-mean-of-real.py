# wrong: the plain mean of the real states
# loses: look-back--by-hand look-back--padding look-back--values look-back--large look-back--gradients
# told: plain mean of the real
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place < lengths[:, None]
    hidden = scores.masked_fill(~real, -torch.inf)
    weights = hidden.softmax(dim=-1)
    states = H * real[:, :, None]
    return states.sum(dim=1) / lengths[:, None], weights
