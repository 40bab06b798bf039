# wrong: power 4/3
# loses: noise--by-hand noise--values noise--never-seen noise--inputs
# told: turned round
def noise_distribution(counts, power=0.75):
    flat = counts ** (1 / power) if power else torch.ones_like(counts)
    return flat / flat.sum()


def keep_probability(counts, t):
    share = counts / counts.sum()
    return (t / share).sqrt().clamp(max=1.0)
