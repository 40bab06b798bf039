# wrong: a word that never occurs gets 0
# loses: noise--never-seen
# told: the limit is 1
def noise_distribution(counts, power=0.75):
    flat = counts**power
    return flat / flat.sum()


def keep_probability(counts, t):
    share = counts / counts.sum()
    kept = torch.zeros_like(counts)
    kept[counts > 0] = (t / share[counts > 0]).sqrt().clamp(max=1.0)
    return kept
