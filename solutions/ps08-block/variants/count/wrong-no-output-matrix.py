# wrong: forgets W_O
# loses: count--parameters count--flops
# told: W_O is missing
def block_parameters(D, H, K, F):
    return 3 * D * H * K + 2 * D * F + F + 5 * D


def block_flops(T, D, H, K, F):
    return {
        "projections": 6 * T * D * H * K,
        "attention": 4 * T * T * H * K,
        "ffn": 4 * T * D * F,
    }


def half_length(D, H, K, F):
    return 2 * D + D * F / (H * K)
