# wrong: the first frequency for all pairs
# loses: shift--values
# told: same angle
def shift_matrix(k, theta):
    angle = k * theta[0]
    block = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()]).view(2, 2)
    return torch.block_diag(*[block] * len(theta))


def similarity(k, theta):
    return (k * theta).cos().sum()
