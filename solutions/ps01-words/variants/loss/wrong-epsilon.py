# wrong: a small number before the logarithm
# loses: loss--large loss--gradients loss--precision
# told: stops falling
def log_sigmoid(s):
    return torch.log(torch.sigmoid(s) + 1e-9)


def negative_sampling_loss(w, v, negatives):
    true = (w * v).sum(dim=-1)
    drawn = (negatives * w[:, None, :]).sum(dim=-1)
    return -(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean()
