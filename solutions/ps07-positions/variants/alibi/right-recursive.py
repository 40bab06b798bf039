# right: as the paper's own code fills up; distances by a loop
def alibi_slopes(H):
    def of_power(n):
        start = 2.0 ** (-8 / n)
        return [start ** (h + 1) for h in range(n)]

    def of(n):
        if n & (n - 1) == 0:
            return of_power(n)
        below = 1 << (n.bit_length() - 1)
        return of_power(below) + of_power(2 * below)[0::2][: n - below]

    return torch.tensor(of(H))


def alibi_bias(slopes, T, S):
    rows = [[-abs(S - T + t - s) for s in range(S)] for t in range(T)]
    return slopes.view(-1, 1, 1) * torch.tensor(rows, dtype=slopes.dtype)
