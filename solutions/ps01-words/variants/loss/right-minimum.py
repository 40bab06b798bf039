# right: min(s, 0) - log(1 + e^-|s|); bmm for the scores
def log_sigmoid(s):
    return torch.minimum(s, torch.zeros_like(s)) - torch.log1p(torch.exp(-s.abs()))


def negative_sampling_loss(w, v, negatives):
    true = torch.einsum("bd,bd->b", w, v)
    drawn = torch.bmm(negatives, w.unsqueeze(-1)).squeeze(-1)
    return -log_sigmoid(true).mean() - log_sigmoid(-drawn).sum() / len(w)
