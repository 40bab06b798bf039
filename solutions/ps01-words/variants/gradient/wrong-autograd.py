# wrong: backward of the loss
# loses: gradient--by-hand gradient--values gradient--mean gradient--large gradient--precision gradient--inputs
# told: `grad` lets PyTorch find
def negative_sampling_gradients(w, v, negatives):
    w, v, negatives = (x.clone().requires_grad_() for x in (w, v, negatives))
    true = (w * v).sum(-1)
    drawn = (negatives * w[:, None]).sum(-1)
    loss = -(torch.sigmoid(true).log() + torch.sigmoid(-drawn).log().sum(-1)).mean()
    return torch.autograd.grad(loss, [w, v, negatives])
