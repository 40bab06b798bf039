# wrong: skips centres without a whole window
# loses: pairs--by-hand pairs--window pairs--edges pairs--sentences pairs--repeats
# told: makes no pairs of words near
def window_pairs(text, m):
    pairs = []
    for words in text:
        for i, centre in enumerate(words):
            if not m <= i < len(words) - m:
                continue
            for j in range(max(0, i - m), min(len(words), i + m + 1)):
                if j != i:
                    pairs.append((centre, words[j]))
    return pairs


def share_taken(m, d):
    return max(0, m - d + 1) / m
