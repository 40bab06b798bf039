# wrong: only what comes before the centre
# loses: pairs--by-hand pairs--window pairs--edges pairs--sentences pairs--repeats
# told: only words before the centre
def window_pairs(text, m):
    return [
        (c, o)
        for words in text
        for i, c in enumerate(words)
        for o in words[max(0, i - m) : i]
    ]


def share_taken(m, d):
    return max(0, m - d + 1) / m
