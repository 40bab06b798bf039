# right: shapes multiplied out, the length found by halving an interval
def shapes_of(D, H, K, F):
    matrices = [(D, H * K)] * 3 + [(H * K, D), (D, F), (F, D)]
    return matrices, [F, D, D, D, D, D]


def block_parameters(D, H, K, F):
    matrices, vectors = shapes_of(D, H, K, F)
    return sum(m * n for m, n in matrices) + sum(vectors)


def block_flops(T, D, H, K, F):
    matrices, _ = shapes_of(D, H, K, F)
    costs = [2 * T * m * n for m, n in matrices]
    found = {"projections": sum(costs[:4]), "attention": 0, "ffn": sum(costs[4:])}
    for _ in range(H):
        found["attention"] += 2 * T * K * T
        found["attention"] += 2 * T * T * K
    return found


def half_length(D, H, K, F):
    low, high = 0.0, 1e9
    for _ in range(200):
        middle = (low + high) / 2
        found = block_flops(middle, D, H, K, F)
        if found["attention"] < found["projections"] + found["ffn"]:
            low = middle
        else:
            high = middle
    return torch.tensor(low, dtype=torch.float64)
