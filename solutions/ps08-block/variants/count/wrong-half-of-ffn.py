# wrong: where attention equals the feed-forward layer
# loses: count--half
# told: as much as the feed-forward layer
def block_parameters(D, H, K, F):
    return 4 * D * H * K + 2 * D * F + F + 5 * D


def block_flops(T, D, H, K, F):
    return {
        "projections": 8 * T * D * H * K,
        "attention": 4 * T * T * H * K,
        "ffn": 4 * T * D * F,
    }


def half_length(D, H, K, F):
    return D * F / (H * K)
