# wrong: one number for each pair
# loses: shift--similarity
# told: shape \(2,\), it must be \(\)
def shift_matrix(k, theta):
    cos, sin = (k * theta).cos(), (k * theta).sin()
    blocks = torch.stack([cos, -sin, sin, cos], dim=-1)
    return torch.block_diag(*blocks.view(-1, 2, 2))


def similarity(k, theta):
    return (k * theta).cos()
