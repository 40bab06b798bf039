# right: stops when nothing running can win
def best_continuations(total, log_p, K):
    values, index = torch.sort((log_p + total.unsqueeze(1)).reshape(-1), descending=True)
    words = log_p.size(1)
    return values[:K], index[:K].div(words, rounding_mode="floor"), index[:K].remainder(words)


def beam_search(log_p, start, end, K, longest, alpha):
    V = log_p.shape[0]
    tokens = torch.zeros(1, 0, dtype=torch.long)
    total = torch.zeros(1, dtype=log_p.dtype)
    last = torch.tensor([start])
    best, best_score = None, torch.tensor(-torch.inf, dtype=log_p.dtype)
    for n in range(1, longest + 1):
        values, rows, words = best_continuations(total, log_p[last], len(last) * V)
        grown = torch.cat([tokens[rows], words[:, None]], dim=1)
        scores = values / ((5 + n) / 6) ** alpha
        ends = words == end
        counts = torch.ones_like(ends) if n == longest else ends
        for i in range(min(K, len(values))):
            if counts[i] and scores[i] > best_score:
                best, best_score = grown[i], scores[i]
        going = (~ends).nonzero()[:K, 0]
        tokens, total, last = grown[going], values[going], words[going]
        if best_score >= total[0] / ((5 + longest) / 6) ** alpha:
            break
    return best, best_score
