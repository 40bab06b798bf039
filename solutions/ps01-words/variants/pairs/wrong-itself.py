# wrong: the centre is paired with itself
# loses: pairs--by-hand pairs--window pairs--edges pairs--sentences pairs--repeats
# told: paired with itself too
def window_pairs(text, m):
    pairs = []
    for words in text:
        for i, centre in enumerate(words):
            for j in range(max(0, i - m), min(len(words), i + m + 1)):
                pairs.append((centre, words[j]))
    return pairs


def share_taken(m, d):
    return max(0, m - d + 1) / m
