# wrong: multiplies the frequencies themselves
# loses: shift--similarity
# told: `similarity` changes its input theta
def shift_matrix(k, theta):
    cos, sin = (k * theta).cos(), (k * theta).sin()
    blocks = torch.stack([cos, -sin, sin, cos], dim=-1)
    return torch.block_diag(*blocks.view(-1, 2, 2))


def similarity(k, theta):
    theta *= k
    return theta.cos().sum()
