# wrong: taken out after the softmax and divided by what is left
# loses: look-back--large
# told: next to nothing is left
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place < lengths[:, None]
    weights = scores.softmax(dim=-1) * real
    weights = weights / weights.sum(dim=-1, keepdim=True)
    context = weights[:, None, :] @ H
    return context[:, 0], weights
