# wrong: range stops before i + m
# loses: pairs--by-hand pairs--window pairs--edges pairs--sentences pairs--repeats
# told: one word short on the right
def window_pairs(text, m):
    pairs = []
    for words in text:
        for i, centre in enumerate(words):
            for j in range(max(0, i - m), min(len(words), i + m)):
                if j != i:
                    pairs.append((centre, words[j]))
    return pairs


def share_taken(m, d):
    return max(0, m - d + 1) / m
