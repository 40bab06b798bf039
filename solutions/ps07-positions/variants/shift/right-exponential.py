# right: the exponential of k times what turns
def shift_matrix(k, theta):
    generator = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=theta.dtype)
    return torch.block_diag(*(torch.matrix_exp(k * t * generator) for t in theta))


def similarity(k, theta):
    return sum(math.cos(k * t) for t in theta.tolist())
