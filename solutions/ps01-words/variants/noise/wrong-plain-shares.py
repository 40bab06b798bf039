# wrong: no power
# loses: noise--by-hand noise--values noise--never-seen noise--inputs
# told: plain shares
def noise_distribution(counts, power=0.75):
    return counts / counts.sum()


def keep_probability(counts, t):
    share = counts / counts.sum()
    return (t / share).sqrt().clamp(max=1.0)
