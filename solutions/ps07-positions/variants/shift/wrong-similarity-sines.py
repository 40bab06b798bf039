# wrong: the sum of sines
# loses: shift--similarity
# told: sum of the sines
def shift_matrix(k, theta):
    cos, sin = (k * theta).cos(), (k * theta).sin()
    blocks = torch.stack([cos, -sin, sin, cos], dim=-1)
    return torch.block_diag(*blocks.view(-1, 2, 2))


def similarity(k, theta):
    return (k * theta).sin().sum()
