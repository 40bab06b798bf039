# wrong: cuts the length to a whole number
# loses: count--half
# told: cut to a whole number
def block_parameters(D, H, K, F):
    return 4 * D * H * K + 2 * D * F + F + 5 * D


def block_flops(T, D, H, K, F):
    return {
        "projections": 8 * T * D * H * K,
        "attention": 4 * T * T * H * K,
        "ffn": 4 * T * D * F,
    }


def half_length(D, H, K, F):
    return 2 * D + D * F // (H * K)
