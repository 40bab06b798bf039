# wrong: changes the counts
# loses: noise--inputs
# told: changes its input counts
def noise_distribution(counts, power=0.75):
    counts **= power
    counts /= counts.sum()
    return counts


def keep_probability(counts, t):
    share = counts / counts.sum()
    return (t / share).sqrt().clamp(max=1.0)
