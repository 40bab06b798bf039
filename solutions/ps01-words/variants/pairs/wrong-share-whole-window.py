# wrong: no reach at all
# loses: pairs--share
# told: equally often
def window_pairs(text, m):
    pairs = []
    for words in text:
        for i, centre in enumerate(words):
            for j in range(max(0, i - m), min(len(words), i + m + 1)):
                if j != i:
                    pairs.append((centre, words[j]))
    return pairs


def share_taken(m, d):
    return 1.0 if d <= m else 0.0
