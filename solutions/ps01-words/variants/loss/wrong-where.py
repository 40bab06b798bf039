# wrong: the branch not taken overflows
# loses: loss--gradients
# told: branches of a torch.where
def log_sigmoid(s):
    return torch.where(s > 0, -torch.log1p(torch.exp(-s)), s - torch.log1p(torch.exp(s)))


def negative_sampling_loss(w, v, negatives):
    true = (w * v).sum(dim=-1)
    drawn = (negatives * w[:, None, :]).sum(dim=-1)
    return -(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean()
