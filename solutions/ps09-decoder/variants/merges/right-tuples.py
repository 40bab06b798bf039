# right: words as tuples, joined by recursion
def learn_merges(words, n):
    text = {tuple(word.encode()): count for word, count in words.items()}
    merges = []
    while len(merges) < n:
        pairs = [
            ((a, b), count)
            for ids, count in text.items()
            for a, b in zip(ids[:-1], ids[1:])
        ]
        if not pairs:
            return merges
        counts = {}
        for pair, count in pairs:
            counts[pair] = counts.get(pair, 0) + count
        most = max(counts.values())
        pair = sorted(pair for pair, count in counts.items() if count == most)[0]
        new = 256 + len(merges)
        text = {joined(ids, pair, new): count for ids, count in text.items()}
        merges.append(pair)
    return merges


def joined(ids, pair, new):
    if len(ids) < 2:
        return ids
    if ids[:2] == pair:
        return (new, *joined(ids[2:], pair, new))
    return (ids[0], *joined(ids[1:], pair, new))
