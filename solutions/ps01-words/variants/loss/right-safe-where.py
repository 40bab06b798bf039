# right: two branches, each with a harmless input
def log_sigmoid(s):
    positive = s > 0
    above = torch.where(positive, s, 0.0)
    below = torch.where(positive, 0.0, s)
    return torch.where(
        positive, -torch.log1p(torch.exp(-above)), below - torch.log1p(torch.exp(below))
    )


def negative_sampling_loss(w, v, negatives):
    true = (w * v).sum(dim=-1)
    drawn = (negatives * w[:, None, :]).sum(dim=-1)
    return -(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean()
