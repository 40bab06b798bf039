# wrong: counts one head
# loses: count--parameters count--flops count--growth count--half
# told: one head alone
def block_parameters(D, H, K, F):
    return 4 * D * K + 2 * D * F + F + 5 * D


def block_flops(T, D, H, K, F):
    return {
        "projections": 8 * T * D * K,
        "attention": 4 * T * T * K,
        "ffn": 4 * T * D * F,
    }


def half_length(D, H, K, F):
    return 2 * D + D * F / K
