# wrong: a softmax of the counts
# loses: noise--by-hand noise--values noise--never-seen noise--inputs
# told: the noise
def noise_distribution(counts, power=0.75):
    return (power * counts).softmax(dim=0)


def keep_probability(counts, t):
    share = counts / counts.sum()
    return (t / share).sqrt().clamp(max=1.0)
