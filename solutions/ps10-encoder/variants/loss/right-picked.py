# right: the chosen rows alone, by logsumexp
def masked_loss(logits, x, chosen):
    asked, words = logits[chosen], x[chosen]
    right = asked[torch.arange(len(words)), words]
    return (asked.logsumexp(dim=-1) - right).sum() / max(len(words), 1)
