# right: the logarithm of a softmax of s and 0; pair by pair
def log_sigmoid(s):
    return s - torch.stack([s, torch.zeros_like(s)]).logsumexp(dim=0)


def negative_sampling_loss(w, v, negatives):
    losses = []
    for centre, context, drawn in zip(w, v, negatives):
        loss = -log_sigmoid(centre @ context)
        for n in drawn:
            loss = loss - log_sigmoid(-(centre @ n))
        losses.append(loss)
    return torch.stack(losses).mean()
