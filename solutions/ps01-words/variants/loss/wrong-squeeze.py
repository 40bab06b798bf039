# wrong: squeeze takes every axis of length 1
# loses: loss--by-hand loss--values
# told: stops with IndexError
def log_sigmoid(s):
    return torch.minimum(s, torch.zeros_like(s)) - torch.log1p(torch.exp(-s.abs()))


def negative_sampling_loss(w, v, negatives):
    true = (w * v).sum(dim=-1)
    drawn = torch.bmm(negatives, w[:, :, None]).squeeze()
    return -(log_sigmoid(true) + log_sigmoid(-drawn).sum(1)).mean()
