# wrong: everything in 32 bits
# loses: look-back--values
# told: float32
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place < lengths[:, None]
    hidden = scores.float().masked_fill(~real, -torch.inf)
    weights = hidden.softmax(dim=-1)
    context = weights[:, None, :] @ H.float()
    return context[:, 0], weights
