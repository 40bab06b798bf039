# wrong: the power after the normalising
# loses: noise--by-hand noise--values noise--never-seen noise--inputs
# told: do not sum to 1
def noise_distribution(counts, power=0.75):
    return (counts / counts.sum()) ** power


def keep_probability(counts, t):
    share = counts / counts.sum()
    return (t / share).sqrt().clamp(max=1.0)
