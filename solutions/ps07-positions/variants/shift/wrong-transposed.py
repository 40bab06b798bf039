# wrong: fits codes as columns
# loses: shift--by-hand shift--values shift--precision shift--steps
# told: shifts the other way
def shift_matrix(k, theta):
    cos, sin = (k * theta).cos(), (k * theta).sin()
    blocks = torch.stack([cos, sin, -sin, cos], dim=-1)
    return torch.block_diag(*blocks.view(-1, 2, 2))


def similarity(k, theta):
    return (k * theta).cos().sum()
