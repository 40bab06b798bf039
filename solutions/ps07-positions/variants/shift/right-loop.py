# right: block by block; the dot product from two codes
def shift_matrix(k, theta):
    d = 2 * len(theta)
    matrix = theta.new_zeros(d, d)
    for i, angle in enumerate(k * theta):
        matrix[2 * i, 2 * i] = angle.cos()
        matrix[2 * i + 1, 2 * i] = angle.sin()
        matrix[2 * i, 2 * i + 1] = -angle.sin()
        matrix[2 * i + 1, 2 * i + 1] = angle.cos()
    return matrix


def similarity(k, theta):
    first = torch.cat([torch.sin(0 * theta), torch.cos(0 * theta)])
    second = torch.cat([torch.sin(k * theta), torch.cos(k * theta)])
    return float(first @ second)
