# wrong: always a shift by 1
# loses: shift--values shift--steps shift--precision shift--by-hand
# told: does not depend on k
def shift_matrix(k, theta):
    cos, sin = theta.cos(), theta.sin()
    blocks = torch.stack([cos, -sin, sin, cos], dim=-1)
    return torch.block_diag(*blocks.view(-1, 2, 2))


def similarity(k, theta):
    return (k * theta).cos().sum()
