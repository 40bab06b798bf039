# wrong: m words in all instead of to each side
# loses: pairs--by-hand pairs--window pairs--edges pairs--sentences pairs--repeats
# told: in all: it reaches|it must come
def window_pairs(text, m):
    pairs = []
    for words in text:
        for i, centre in enumerate(words):
            for j in range(max(0, i - m // 2), min(len(words), i + m // 2 + 1)):
                if j != i:
                    pairs.append((centre, words[j]))
    return pairs


def share_taken(m, d):
    return max(0, m - d + 1) / m
