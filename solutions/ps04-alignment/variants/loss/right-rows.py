# right: sentence by sentence
def sequence_loss(logits, target, pad):
    total, count = 0.0, 0
    for said, words in zip(logits, target[:, 1:]):
        n = int((words != pad).sum())
        log_p = said[:n] - said[:n].logsumexp(dim=-1, keepdim=True)
        total = total - log_p[torch.arange(n), words[:n]].sum()
        count += n
    return total / count
