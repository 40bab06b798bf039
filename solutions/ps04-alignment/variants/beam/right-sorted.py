# right: lists and a sort
def best_continuations(total, log_p, K):
    N, V = log_p.shape
    found = [(total[n] + log_p[n, v], n, v) for n in range(N) for v in range(V)]
    found.sort(key=lambda one: one[0].item(), reverse=True)
    values, rows, words = zip(*found[:K])
    return torch.stack(values), torch.tensor(rows), torch.tensor(words)


def beam_search(log_p, start, end, K, longest, alpha):
    def score(found):
        text, log_probability = found
        return log_probability / ((5 + len(text)) / 6) ** alpha

    running, aside = [((), log_p.new_zeros(()))], []
    for _ in range(longest):
        ranked = sorted(
            (
                ((*text, word), total + more)
                for text, total in running
                for word, more in enumerate(log_p[text[-1] if text else start])
            ),
            key=lambda found: -found[1].item(),
        )
        aside += [found for found in ranked[:K] if found[0][-1] == end]
        running = [found for found in ranked if found[0][-1] != end][:K]
    best = max(aside + running, key=score)
    return torch.tensor(best[0]), score(best)
