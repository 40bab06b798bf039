# wrong: sum over the pairs
# loses: loss--values loss--large loss--gradients loss--precision loss--by-hand
# told: sum over the pairs
def log_sigmoid(s):
    return torch.minimum(s, torch.zeros_like(s)) - torch.log1p(torch.exp(-s.abs()))


def negative_sampling_loss(w, v, negatives):
    true = (w * v).sum(dim=-1)
    drawn = (negatives * w[:, None, :]).sum(dim=-1)
    return -(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).sum()
