# wrong: cuts scores off
# loses: loss--large loss--gradients
# told: stops falling
def log_sigmoid(s):
    s = s.clamp(-30, 30)
    return torch.sigmoid(s).log()


def negative_sampling_loss(w, v, negatives):
    true = (w * v).sum(dim=-1)
    drawn = (negatives * w[:, None, :]).sum(dim=-1)
    return -(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean()
