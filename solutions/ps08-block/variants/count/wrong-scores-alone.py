# wrong: forgets the weighted sum
# loses: count--flops count--half
# told: there it is two thirds of the block
def block_parameters(D, H, K, F):
    return 4 * D * H * K + 2 * D * F + F + 5 * D


def block_flops(T, D, H, K, F):
    return {
        "projections": 8 * T * D * H * K,
        "attention": 2 * T * T * H * K,
        "ffn": 4 * T * D * F,
    }


def half_length(D, H, K, F):
    return 4 * D + 2 * D * F / (H * K)
