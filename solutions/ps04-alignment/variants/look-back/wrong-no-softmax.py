# wrong: scores as weights
# loses: look-back--by-hand look-back--padding look-back--values look-back--large look-back--gradients
# told: softmax is missing
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place < lengths[:, None]
    weights = scores * real
    context = weights[:, None, :] @ H
    return context[:, 0], weights
