# wrong: log(1 + e^-s) as it stands
# loses: loss--large loss--gradients
# told: infinite or NaN
def log_sigmoid(s):
    return -torch.log1p(torch.exp(-s))


def negative_sampling_loss(w, v, negatives):
    true = (w * v).sum(dim=-1)
    drawn = (negatives * w[:, None, :]).sum(dim=-1)
    return -(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean()
