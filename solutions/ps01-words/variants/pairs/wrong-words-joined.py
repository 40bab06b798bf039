# wrong: returns texts instead of pairs
# loses: pairs--by-hand pairs--window pairs--edges pairs--sentences pairs--repeats
# told: list of pairs of words
def window_pairs(text, m):
    pairs = []
    for words in text:
        for i, centre in enumerate(words):
            for j in range(max(0, i - m), min(len(words), i + m + 1)):
                if j != i:
                    pairs.append(centre + ' ' + words[j])
    return pairs


def share_taken(m, d):
    return max(0, m - d + 1) / m
