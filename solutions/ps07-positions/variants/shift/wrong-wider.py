# wrong: fills a matrix of 64 bits
# loses: shift--by-hand shift--values
# told: pass dtype=theta.dtype
def shift_matrix(k, theta):
    d = 2 * len(theta)
    matrix = torch.zeros(d, d, dtype=torch.float64)
    for i, angle in enumerate(k * theta):
        cos, sin = angle.cos(), angle.sin()
        matrix[2 * i, 2 * i] = matrix[2 * i + 1, 2 * i + 1] = cos
        matrix[2 * i, 2 * i + 1], matrix[2 * i + 1, 2 * i] = -sin, sin
    return matrix


def similarity(k, theta):
    return (k * theta).cos().sum()
