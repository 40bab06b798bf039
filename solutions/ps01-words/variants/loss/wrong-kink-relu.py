# wrong: relu has a one-sided slope at 0
# loses: loss--gradients
# told: at exactly 0 your log σ has a kink
def log_sigmoid(s):
    return -torch.relu(-s) - torch.log1p(torch.exp(-s.abs()))


def negative_sampling_loss(w, v, negatives):
    true = (w * v).sum(dim=-1)
    drawn = (negatives * w[:, None, :]).sum(dim=-1)
    return -(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean()
