# right: row by row, with slices
def windows(ids, T):
    starts = range(0, len(ids) - T, T)
    rows = [ids[s : s + T + 1] for s in starts]
    rows = torch.stack(rows)
    return rows[:, :-1], rows[:, 1:]


def lm_loss(logits, tokens, lengths):
    total, count = 0.0, 0
    for b, n in enumerate(lengths.tolist()):
        for t in range(n - 1):
            row = logits[b, t]
            total = total + row.logsumexp(-1) - row[tokens[b, t + 1]]
            count += 1
    return total / count


def per_byte(loss, predicted, n_bytes):
    return math.exp(loss) ** (predicted / n_bytes)
