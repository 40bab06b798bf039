# wrong: goes through 32 bits
# loses: loss--precision
# told: float32, while its inputs are float64
def log_sigmoid(s):
    s32 = s.float()
    return -torch.logaddexp(torch.zeros_like(s32), -s32)


def negative_sampling_loss(w, v, negatives):
    true = (w * v).sum(dim=-1)
    drawn = (negatives * w[:, None, :]).sum(dim=-1)
    return -(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean()
