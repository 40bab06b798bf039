# wrong: no max at the left edge, by slices
# loses: pairs--window pairs--edges pairs--sentences pairs--repeats pairs--by-hand
# told: lost at the left edge
def window_pairs(text, m):
    return [
        (words[i], near)
        for words in text
        for i in range(len(words))
        for near in words[i - m : i] + words[i + 1 : i + m + 1]
    ]


def share_taken(m, d):
    return max(0, m - d + 1) / m
