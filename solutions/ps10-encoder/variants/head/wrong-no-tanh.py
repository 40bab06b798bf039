# wrong: no tanh between the matrices
# loses: head--cls head--gradients head--padding
# told: the tanh is missing
def cls_logits(x, W_p, b_p, W_c, b_c):
    return (x[:, 0] @ W_p + b_p) @ W_c + b_c


def mean_of_real(x, real):
    kept = real.unsqueeze(-1)
    return (x * kept).sum(dim=1) / kept.sum(dim=1).clamp(min=1)
