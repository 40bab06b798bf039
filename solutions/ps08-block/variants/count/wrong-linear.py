# wrong: scores that grow with T alone
# loses: count--flops count--growth count--half
# told: T · T scores
def block_parameters(D, H, K, F):
    return 4 * D * H * K + 2 * D * F + F + 5 * D


def block_flops(T, D, H, K, F):
    return {
        "projections": 8 * T * D * H * K,
        "attention": 4 * T * H * K,
        "ffn": 4 * T * D * F,
    }


def half_length(D, H, K, F):
    return 8 * D * H * K + 4 * D * F
