# wrong: a multiplication and its addition count as one
# loses: count--flops
# told: They are two
def block_parameters(D, H, K, F):
    return 4 * D * H * K + 2 * D * F + F + 5 * D


def block_flops(T, D, H, K, F):
    return {
        "projections": 4 * T * D * H * K,
        "attention": 2 * T * T * H * K,
        "ffn": 2 * T * D * F,
    }


def half_length(D, H, K, F):
    return 2 * D + D * F / (H * K)
