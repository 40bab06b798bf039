# right: zeros put in the place of padding
def sequence_loss(logits, target, pad):
    says = target[:, 1:].unsqueeze(-1)
    log_p = logits.log_softmax(-1).gather(2, says)
    kept = torch.where(says == pad, 0.0, log_p)
    return -kept.sum() / (says != pad).sum()
