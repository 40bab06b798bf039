# wrong: the pairs are counted once
# loses: merges--by-hand merges--counts merges--ties merges--repeats merges--bytes merges--end
# told: counted once, before the first merge
def learn_merges(words, n):
    spelt = [list(word.encode()) for word in words]
    times = list(words.values())
    merges = []
    counts = Counter()
    for ids, count in zip(spelt, times):
        for pair in zip(ids, ids[1:]):
            counts[pair] += count
    for _ in range(n):
        if not counts:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        for ids in spelt:
            for i in range(len(ids)):
                if tuple(ids[i : i + 2]) == pair:
                    ids[i : i + 2] = [256 + len(merges)]
        merges.append(pair)
        del counts[pair]
    return merges
