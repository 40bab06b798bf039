# wrong: multiplies the shift by 1 with itself, and knows no way back
# loses: shift--values shift--steps shift--precision shift--by-hand
# told: `shift_matrix` stops with RuntimeError in a hidden test
def shift_matrix(k, theta):
    cos, sin = theta.cos(), theta.sin()
    step = torch.block_diag(*torch.stack([cos, -sin, sin, cos], -1).view(-1, 2, 2))
    matrix = torch.eye(len(step))
    for _ in range(int(k)):
        matrix = matrix @ step
    return matrix


def similarity(k, theta):
    return (k * theta).cos().sum()
