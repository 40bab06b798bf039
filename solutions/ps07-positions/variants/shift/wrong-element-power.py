# wrong: raises each number to the power k
# loses: shift--values shift--steps shift--precision shift--by-hand
# told: to the power k
def shift_matrix(k, theta):
    cos, sin = theta.cos(), theta.sin()
    blocks = torch.stack([cos, -sin, sin, cos], dim=-1)
    return torch.block_diag(*blocks.view(-1, 2, 2)) ** k


def similarity(k, theta):
    return (k * theta).cos().sum()
