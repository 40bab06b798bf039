# wrong: the paper's formula as it stands
# loses: noise--kept noise--never-seen noise--inputs
# told: negative ones among them|to be dropped|off|must be
def noise_distribution(counts, power=0.75):
    flat = counts**power
    return flat / flat.sum()


def keep_probability(counts, t):
    return 1 - (t * counts.sum() / counts).sqrt()
