# wrong: autograd by another name
# loses: gradient--by-hand gradient--values gradient--mean gradient--large gradient--precision gradient--inputs
# told: lets PyTorch find
def negative_sampling_gradients(w, v, negatives):
    def loss(w, v, negatives):
        true = (w * v).sum(-1)
        drawn = (negatives * w[:, None]).sum(-1)
        return -(torch.sigmoid(true).log() + torch.sigmoid(-drawn).log().sum(-1)).mean()

    return torch.func.grad(loss, argnums=(0, 1, 2))(w, v, negatives)
