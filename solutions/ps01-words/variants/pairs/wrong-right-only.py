# wrong: only what comes after the centre
# loses: pairs--by-hand pairs--window pairs--edges pairs--sentences pairs--repeats
# told: only words after the centre
def window_pairs(text, m):
    return [
        (c, o)
        for words in text
        for i, c in enumerate(words)
        for o in words[i + 1 : i + m + 1]
    ]


def share_taken(m, d):
    return max(0, m - d + 1) / m
