# wrong: the squared distance
# loses: shift--similarity
# told: squared distance
def shift_matrix(k, theta):
    cos, sin = (k * theta).cos(), (k * theta).sin()
    blocks = torch.stack([cos, -sin, sin, cos], dim=-1)
    return torch.block_diag(*blocks.view(-1, 2, 2))


def similarity(k, theta):
    return (2 - 2 * (k * theta).cos()).sum()
