# wrong: fitted to the codes of one position
# loses: shift--by-hand shift--values shift--steps shift--precision
# told: at \[1, 0\], it must be 1
def shift_matrix(k, theta):
    def code(t):
        return torch.stack([(t * theta).sin(), (t * theta).cos()], -1).flatten()

    here, there = code(1.0), code(1.0 + k)
    return torch.outer(here, there) / (here @ here)


def similarity(k, theta):
    return (k * theta).cos().sum()
