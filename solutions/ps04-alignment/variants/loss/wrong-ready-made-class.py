# wrong: the class of PyTorch
# loses: loss--by-hand loss--words loss--values loss--padding loss--large loss--gradients
# told: take the call out
def sequence_loss(logits, target, pad):
    log_p = logits.log_softmax(dim=-1).flatten(0, 1)
    return torch.nn.NLLLoss(ignore_index=pad)(log_p, target[:, 1:].flatten())
