# right: lists as pairs, a loop over places
def learn_merges(words, n):
    text = [([*bytes(word, "utf-8")], count) for word, count in words.items()]
    merges = []
    for new in range(256, 256 + n):
        counts = Counter()
        for ids, count in text:
            for i in range(1, len(ids)):
                counts[ids[i - 1], ids[i]] += count
        if len(counts) == 0:
            break
        a, b = sorted(counts, key=lambda pair: (-counts[pair], pair[0], pair[1]))[0]
        merges.append([a, b])
        rewritten = []
        for ids, count in text:
            result = []
            for i in ids:
                if result and result[-1] == a and i == b:
                    result[-1] = new
                else:
                    result.append(i)
            rewritten.append((result, count))
        text = rewritten
    return merges
