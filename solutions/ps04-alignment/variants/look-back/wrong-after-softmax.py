# wrong: padding taken out after the softmax
# loses: look-back--padding look-back--large look-back--gradients
# told: no longer sum to 1
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place < lengths[:, None]
    weights = scores.softmax(dim=-1) * real
    context = weights[:, None, :] @ H
    return context[:, 0], weights
