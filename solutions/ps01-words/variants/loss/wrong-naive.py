# wrong: the logarithm of the sigmoid
# loses: loss--large loss--gradients
# told: infinite or NaN.*no logarithm of the sigmoid
def log_sigmoid(s):
    return torch.sigmoid(s).log()


def negative_sampling_loss(w, v, negatives):
    true = (w * v).sum(dim=-1)
    drawn = (negatives * w[:, None, :]).sum(dim=-1)
    return -(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean()
