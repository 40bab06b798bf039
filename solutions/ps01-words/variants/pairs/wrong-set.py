# wrong: each pair once
# loses: pairs--repeats
# told: comes only once
def window_pairs(text, m):
    pairs = []
    for words in text:
        for i, centre in enumerate(words):
            for j in range(max(0, i - m), min(len(words), i + m + 1)):
                if j != i:
                    pairs.append((centre, words[j]))
    return list(set(pairs))


def share_taken(m, d):
    return max(0, m - d + 1) / m
