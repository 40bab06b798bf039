# right: all real places of the batch in one row
def sequence_loss(logits, target, pad):
    words = target[:, 1:].flatten()
    chosen = (words != pad).nonzero()[:, 0]
    said = logits.flatten(0, 1)[chosen]
    right = said[torch.arange(len(said)), words[chosen]]
    return (said.logsumexp(dim=1) - right).sum() / len(chosen)
