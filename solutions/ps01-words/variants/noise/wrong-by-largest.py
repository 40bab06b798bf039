# wrong: relative to the most frequent word
# loses: noise--kept noise--never-seen noise--inputs
# told: the largest count
def noise_distribution(counts, power=0.75):
    flat = counts**power
    return flat / flat.sum()


def keep_probability(counts, t):
    share = counts / counts.max()
    return (t / share).sqrt().clamp(max=1.0)
