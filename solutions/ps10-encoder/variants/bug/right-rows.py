# right: losses and weights in rows of one shape
def mended_loss(logits, words, weights, follows, truth):
    V = logits.shape[-1]
    log_p = logits.reshape(-1, V).log_softmax(dim=-1)
    each = -log_p[torch.arange(len(log_p)), words.reshape(-1)]
    of_words = each @ weights.reshape(-1) / (weights.sum() + 1e-8)
    says = follows.log_softmax(dim=-1)
    return of_words, -says[torch.arange(len(truth)), truth].mean()
