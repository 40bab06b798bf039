# wrong: adds one to each count
# loses: noise--by-hand noise--values noise--never-seen noise--inputs
# told: add nothing to the counts
def noise_distribution(counts, power=0.75):
    flat = (counts + 1) ** power
    return flat / flat.sum()


def keep_probability(counts, t):
    share = counts / counts.sum()
    return (t / share).sqrt().clamp(max=1.0)
