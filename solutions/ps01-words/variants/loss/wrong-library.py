# wrong: PyTorch's logsigmoid
# loses: loss--by-hand loss--values loss--large loss--gradients loss--precision
# told: `log_?sigmoid`.*writes by hand
def log_sigmoid(s):
    return torch.nn.functional.logsigmoid(s)


def negative_sampling_loss(w, v, negatives):
    true = (w * v).sum(dim=-1)
    drawn = (negatives * w[:, None, :]).sum(dim=-1)
    return -(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean()
