# wrong: log-probabilities multiplied
# loses: beam--step
# told: multiplies log-probabilities
def best_continuations(total, log_p, K):
    values, places = (total[:, None] * log_p).flatten().topk(K)
    return values, places // log_p.shape[1], places % log_p.shape[1]


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, found = [[]], log_p.new_zeros(1), []
    for n in range(1, longest + 1):
        penalty = ((5 + n) / 6) ** alpha
        before = [text[-1] if text else start for text in texts]
        both = (total[:, None] + log_p[before]).flatten()
        running = []
        for rank, place in enumerate(both.argsort(descending=True)):
            row, word = divmod(place.item(), len(log_p))
            grown = (texts[row] + [word], both[place])
            if word == end and rank < K:
                found.append((both[place] / penalty, grown[0]))
            if word != end and len(running) < K:
                running.append(grown)
        texts = [text for text, _ in running]
        total = torch.stack([value for _, value in running])
    found += [(v / penalty, text) for v, text in zip(total, texts)]
    score, text = max(found, key=lambda pair: pair[0].item())
    return torch.tensor(text), score
