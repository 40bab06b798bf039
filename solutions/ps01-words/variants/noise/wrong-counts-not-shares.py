# wrong: counts instead of shares
# loses: noise--kept noise--never-seen noise--inputs
# told: divide its count by the sum
def noise_distribution(counts, power=0.75):
    flat = counts**power
    return flat / flat.sum()


def keep_probability(counts, t):
    return (t / counts).sqrt().clamp(max=1.0)
