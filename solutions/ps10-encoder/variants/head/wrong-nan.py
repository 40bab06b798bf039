# wrong: 0/0 for a text of padding alone
# loses: head--empty
# told: this is 0/0
def cls_logits(x, W_p, b_p, W_c, b_c):
    return torch.tanh(x[:, 0] @ W_p + b_p) @ W_c + b_c


def mean_of_real(x, real):
    kept = real.unsqueeze(-1)
    return (x * kept).sum(dim=1) / kept.sum(dim=1)
