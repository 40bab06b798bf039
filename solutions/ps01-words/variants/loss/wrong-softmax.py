# wrong: a softmax over true word and negatives
# loses: loss--by-hand loss--values loss--large loss--gradients loss--precision
# told: a softmax over the true word
def log_sigmoid(s):
    return torch.minimum(s, torch.zeros_like(s)) - torch.log1p(torch.exp(-s.abs()))


def negative_sampling_loss(w, v, negatives):
    words = torch.cat([v[:, None], negatives], dim=1)
    scores = (words * w[:, None]).sum(dim=-1)
    return -scores.log_softmax(dim=-1)[:, 0].mean()
