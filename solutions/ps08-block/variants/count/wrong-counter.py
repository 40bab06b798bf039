# wrong: lets PyTorch count the products
# loses: count--flops count--growth
# told: by hand
def block_parameters(D, H, K, F):
    tensors = [torch.empty(D, H * K) for _ in range(4)]
    tensors += [torch.empty(D, F), torch.empty(F, D), torch.empty(F)]
    tensors += [torch.empty(D) for _ in range(5)]
    return sum(t.numel() for t in tensors)


def block_flops(T, D, H, K, F):
    from torch.utils.flop_counter import FlopCounterMode

    def counted(*products):
        with FlopCounterMode(display=False) as counter:
            for a, b in products:
                torch.zeros(a) @ torch.zeros(b)
        return counter.get_total_flops()

    return {
        "projections": counted(*[((T, D), (D, H * K))] * 3, ((T, H * K), (H * K, D))),
        "attention": counted(((H, T, K), (H, K, T)), ((H, T, T), (H, T, K))),
        "ffn": counted(((T, D), (D, F)), ((T, F), (F, D))),
    }


def half_length(D, H, K, F):
    return D * (2 * H * K + F) / (H * K)
