# wrong: takes D for the width of all heads
# loses: count--parameters count--flops count--half
# told: width of all heads together|right where H
def block_parameters(D, H, K, F):
    return 4 * D * D + 2 * D * F + F + 5 * D


def block_flops(T, D, H, K, F):
    return {
        "projections": 8 * T * D * D,
        "attention": 4 * T * T * D,
        "ffn": 4 * T * D * F,
    }


def half_length(D, H, K, F):
    return 2 * D + F
