# right: unfold, and a sum over places that count
def windows(ids, T):
    both = ids.unfold(0, T + 1, T)
    return both[:, :T], both[:, 1:]


def lm_loss(logits, tokens, lengths):
    B, T, V = logits.shape
    says = tokens.roll(-1, dims=1).reshape(-1)
    counts = (torch.arange(T) + 1 < lengths.unsqueeze(1)).reshape(-1)
    log_p = torch.log_softmax(logits, -1).reshape(B * T, V)
    each = log_p[torch.arange(B * T), says]
    each = torch.where(counts, each, torch.zeros_like(each))
    return -each.sum() / counts.sum()


def per_byte(loss, predicted, n_bytes):
    return torch.tensor(loss * predicted / n_bytes, dtype=torch.float64).exp().item()
