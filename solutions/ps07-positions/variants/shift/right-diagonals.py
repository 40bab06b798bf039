# right: three diagonals added up
def shift_matrix(k, theta):
    angle = (k * theta).repeat_interleave(2)
    upper = angle.sin()[:-1].clone()
    upper[1::2] = 0
    return torch.diag(angle.cos()) - torch.diag(upper, 1) + torch.diag(upper, -1)


def similarity(k, theta):
    return (k * theta).cos().sum()
