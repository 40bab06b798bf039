# wrong: divides by the sum of the counts
# loses: noise--by-hand noise--values noise--never-seen noise--inputs
# told: not by the sum of their powers
def noise_distribution(counts, power=0.75):
    return counts**power / counts.sum()


def keep_probability(counts, t):
    share = counts / counts.sum()
    return (t / share).sqrt().clamp(max=1.0)
