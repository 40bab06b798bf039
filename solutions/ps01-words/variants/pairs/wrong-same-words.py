# wrong: leaves out equal words instead of the own place
# loses: pairs--repeats
# told: places that must differ
def window_pairs(text, m):
    pairs = []
    for words in text:
        for i, centre in enumerate(words):
            for j in range(max(0, i - m), min(len(words), i + m + 1)):
                if words[j] != centre:
                    pairs.append((centre, words[j]))
    return pairs


def share_taken(m, d):
    return max(0, m - d + 1) / m
