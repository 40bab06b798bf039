# right: slices to the left and right; the reaches counted
def window_pairs(text, m):
    return [
        [words[i], near]
        for words in text
        for i in range(len(words))
        for near in words[max(0, i - m) : i] + words[i + 1 : i + m + 1]
    ]


def share_taken(m, d):
    return sum(1 for reach in range(1, m + 1) if reach >= d) / m
