# wrong: no root
# loses: noise--kept noise--never-seen noise--inputs
# told: the root is missing
def noise_distribution(counts, power=0.75):
    flat = counts**power
    return flat / flat.sum()


def keep_probability(counts, t):
    share = counts / counts.sum()
    return (t / share).clamp(max=1.0)
