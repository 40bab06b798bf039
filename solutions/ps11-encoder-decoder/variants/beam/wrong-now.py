# wrong: compares what runs with the penalty of its present length
# loses: beam--stop beam--values beam--steps
# told: stops too soon|one can come to|it can come to
def may_stop(running, aside, longest, alpha):
    if not running or not aside:
        return not running
    return max(aside) >= max(running)


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, aside = [[]], [0.0], []
    for n in range(1, longest + 1):
        lp = ((5 + n) / 6) ** alpha
        ranked = grown(texts, total, log_p, start)
        aside += [(p / lp, t) for t, p in ranked[:K] if t[-1] == end]
        going = [(t, p) for t, p in ranked if t[-1] != end][:K]
        texts, total = [t for t, _ in going], [p for _, p in going]
        if not going or (aside and max(s for s, _ in aside) >= total[0] / lp):
            break
    aside += [(p / lp, t) for t, p in going]
    score, text = max(aside, key=lambda one: one[0])
    return torch.tensor(text), score, n
