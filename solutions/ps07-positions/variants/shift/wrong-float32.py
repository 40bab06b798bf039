# wrong: a zero matrix of 32 bits filled in
# loses: shift--values shift--steps shift--precision shift--by-hand
# told: float32, while its inputs are float64
def shift_matrix(k, theta):
    d = 2 * len(theta)
    matrix = torch.zeros(d, d)
    for i, angle in enumerate(k * theta):
        a, b = 2 * i, 2 * i + 1
        matrix[a, a] = matrix[b, b] = angle.cos()
        matrix[b, a], matrix[a, b] = angle.sin(), -angle.sin()
    return matrix


def similarity(k, theta):
    return (k * theta).cos().sum()
