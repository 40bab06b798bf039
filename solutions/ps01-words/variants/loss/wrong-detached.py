# wrong: numbers in place of tensors
# loses: loss--gradients
# told: no gradient flows back
def log_sigmoid(s):
    found = [min(x, 0.0) - math.log1p(math.exp(-abs(x))) for x in s.flatten().tolist()]
    return torch.tensor(found, dtype=s.dtype).view(s.shape)


def negative_sampling_loss(w, v, negatives):
    true = (w * v).sum(dim=-1)
    drawn = (negatives * w[:, None, :]).sum(dim=-1)
    return -(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean()
