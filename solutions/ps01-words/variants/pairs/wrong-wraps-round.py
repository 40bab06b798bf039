# wrong: no max at the left edge, place by place
# loses: pairs--by-hand pairs--window pairs--edges pairs--sentences pairs--repeats
# told: comes round to the end
def window_pairs(text, m):
    pairs = []
    for words in text:
        for i, centre in enumerate(words):
            for j in range(i - m, i + m + 1):
                if j != i and -len(words) <= j < len(words):
                    pairs.append((centre, words[j]))
    return pairs


def share_taken(m, d):
    return max(0, m - d + 1) / m
