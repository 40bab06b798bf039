# wrong: sines before cosines
# loses: shift--values
# told: sines all stand before
def shift_matrix(k, theta):
    cos, sin = torch.diag((k * theta).cos()), torch.diag((k * theta).sin())
    return torch.cat([torch.cat([cos, -sin], 1), torch.cat([sin, cos], 1)])


def similarity(k, theta):
    return (k * theta).cos().sum()
