# wrong: what ends takes the place of what would run on
# loses: beam--ended
# told: take the place of others
def may_stop(running, aside, longest, alpha):
    if not running or not aside:
        return not running
    return max(aside) >= max(running) / ((5 + longest) / 6) ** alpha


def beam_search(log_p, start, end, K, longest, alpha):
    def score(text, total):
        return total / ((5 + len(text)) / 6) ** alpha

    running, aside, n = [([], 0.0)], [], 0
    while n < longest:
        n += 1
        ranked = grown([t for t, _ in running], [p for _, p in running], log_p, start)
        aside += [(score(t, p), t) for t, p in ranked[:K] if t[-1] == end]
        running = [(t, p) for t, p in ranked[:K] if t[-1] != end]
        if may_stop([p for _, p in running], [s for s, _ in aside], longest, alpha):
            break
    aside += [(score(t, p), t) for t, p in running]
    best = max(range(len(aside)), key=lambda i: aside[i][0])
    return torch.tensor(aside[best][1]), aside[best][0], n
