# wrong: exponentials of large scores
# loses: look-back--large
# told: exp
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place < lengths[:, None]
    powers = scores.exp() * real
    weights = powers / powers.sum(dim=-1, keepdim=True)
    context = weights[:, None, :] @ H
    return context[:, 0], weights
