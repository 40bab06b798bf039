# wrong: weights instead of probabilities
# loses: noise--by-hand noise--values noise--never-seen noise--inputs
# told: divide them by their sum
def noise_distribution(counts, power=0.75):
    return counts**power


def keep_probability(counts, t):
    share = counts / counts.sum()
    return (t / share).sqrt().clamp(max=1.0)
