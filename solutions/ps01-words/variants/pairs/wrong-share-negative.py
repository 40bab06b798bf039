# wrong: below 0 beyond the window
# loses: pairs--share
# told: never below 0
def window_pairs(text, m):
    pairs = []
    for words in text:
        for i, centre in enumerate(words):
            for j in range(max(0, i - m), min(len(words), i + m + 1)):
                if j != i:
                    pairs.append((centre, words[j]))
    return pairs


def share_taken(m, d):
    return (m - d + 1) / m
