# wrong: one-hot rows times log-probabilities
# loses: loss--padding
# told: one-hot rows
def sequence_loss(logits, target, pad):
    says = target[:, 1:]
    rows = torch.eye(logits.shape[-1], dtype=logits.dtype)[says]
    right = (rows * logits.log_softmax(dim=-1)).sum(dim=-1)
    real = says != pad
    return -right[real].mean()
