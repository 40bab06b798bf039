# right: ranked by a stable sort of a tensor, the best kept as it goes
def may_stop(running, aside, longest, alpha):
    could = [p * (6 / (5 + longest)) ** alpha for p in running]
    return all(any(score >= p - 1e-12 for score in aside) for p in could)


def beam_search(log_p, start, end, K, longest, alpha):
    V, best = len(log_p), (-math.inf, None)
    texts, total = torch.zeros(1, 0, dtype=torch.long), torch.zeros(1, dtype=log_p.dtype)
    for step in range(longest):
        last = texts[:, -1] if step else torch.tensor([start])
        both = (total[:, None] + log_p[last]).flatten()
        values, places = both.sort(descending=True, stable=True)
        places = places[values > -torch.inf]
        words, lp = places % V, ((6 + step) / 6) ** alpha
        for place in places[:K][words[:K] == end]:
            score = both[place].item() / lp
            if score > best[0]:
                best = (score, [*texts[place // V].tolist(), end])
        going = places[words != end][:K]
        texts = torch.cat([texts[going // V], (going % V)[:, None]], dim=1)
        total = both[going]
        if not len(going) or best[0] >= total[0].item() / ((5 + longest) / 6) ** alpha:
            break
    if len(going) and total[0].item() / lp > best[0]:
        best = (total[0].item() / lp, texts[0].tolist())
    return torch.tensor(best[1]), best[0], step + 1
