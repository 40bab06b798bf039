# wrong: scores of padding multiplied by 0
# loses: look-back--padding look-back--large look-back--gradients
# told: exp\(0\) = 1
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place < lengths[:, None]
    weights = (scores * real).softmax(dim=-1)
    context = weights[:, None, :] @ H
    return context[:, 0], weights
