# right: the target written out, places picked by a mask
def smoothed_loss(logits, says, epsilon, pad):
    V = logits.shape[-1]
    real = says != pad
    picked, words = logits[real], says[real]
    q = torch.full_like(picked, epsilon / V)
    q[torch.arange(len(words)), words] += 1 - epsilon
    log_p = picked - picked.logsumexp(dim=-1, keepdim=True)
    return (q * -log_p).sum() / len(words)


def lowest_loss(V, epsilon):
    q = torch.full((V,), epsilon / V, dtype=torch.float64)
    q[0] += 1 - epsilon
    return -torch.xlogy(q, q).sum()
