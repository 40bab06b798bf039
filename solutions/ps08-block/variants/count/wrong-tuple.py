# wrong: gives a tuple
# loses: count--flops count--growth
# told: a dict with
def block_parameters(D, H, K, F):
    return 4 * D * H * K + 2 * D * F + F + 5 * D


def block_flops(T, D, H, K, F):
    return 8 * T * D * H * K, 4 * T * T * H * K, 4 * T * D * F


def half_length(D, H, K, F):
    return 2 * D + D * F / (H * K)
