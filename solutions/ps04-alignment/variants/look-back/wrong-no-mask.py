# wrong: padding left in
# loses: look-back--padding look-back--large look-back--gradients
# told: gives weight to padding
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place < lengths[:, None]
    weights = scores.softmax(dim=-1)
    context = weights[:, None, :] @ H
    return context[:, 0], weights
