# right: word by word
def noise_distribution(counts, power=0.75):
    weights = [count**power for count in counts]
    total = sum(weights)
    return torch.stack([weight / total for weight in weights])


def keep_probability(counts, t):
    kept = []
    for count in counts:
        share = count / counts.sum()
        kept.append(1.0 if share <= t else math.sqrt(t / share))
    return torch.tensor(kept, dtype=counts.dtype)
