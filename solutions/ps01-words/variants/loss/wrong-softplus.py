# wrong: PyTorch's softplus
# loses: loss--by-hand loss--values loss--large loss--gradients loss--precision
# told: `softplus`.*writes by hand
def log_sigmoid(s):
    return -torch.nn.Softplus()(-s)


def negative_sampling_loss(w, v, negatives):
    true = (w * v).sum(dim=-1)
    drawn = (negatives * w[:, None, :]).sum(dim=-1)
    return -(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean()
