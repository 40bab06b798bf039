# wrong: each different word counts once
# loses: merges--by-hand merges--counts merges--repeats merges--bytes merges--end
# told: each different word once
def learn_merges(words, n):
    spelt = [list(word.encode()) for word in words]
    times = list(words.values())
    merges = []
    for _ in range(n):
        counts = Counter()
        for ids, count in zip(spelt, times):
            for pair in zip(ids, ids[1:]):
                counts[pair] += 1
        if not counts:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        for ids in spelt:
            for i in range(len(ids)):
                if tuple(ids[i : i + 2]) == pair:
                    ids[i : i + 2] = [256 + len(merges)]
        merges.append(pair)
    return merges
