# wrong: multiplies the frequencies themselves
# loses: shift--steps
# told: `shift_matrix` changes its input theta
def shift_matrix(k, theta):
    theta = theta.mul_(k)
    cos, sin = theta.cos(), theta.sin()
    blocks = torch.stack([cos, -sin, sin, cos], dim=-1)
    return torch.block_diag(*blocks.view(-1, 2, 2))


def similarity(k, theta):
    return (k * theta).cos().sum()
