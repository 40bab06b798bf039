# wrong: a tie goes to the pair that is met first
# loses: merges--counts merges--ties merges--repeats merges--bytes merges--end merges--by-hand
# told: met first
def learn_merges(words, n):
    spelt = [list(word.encode()) for word in words]
    times = list(words.values())
    merges = []
    for _ in range(n):
        counts = Counter()
        for ids, count in zip(spelt, times):
            for pair in zip(ids, ids[1:]):
                counts[pair] += count
        if not counts:
            break
        pair = max(counts, key=counts.get)
        for ids in spelt:
            for i in range(len(ids)):
                if tuple(ids[i : i + 2]) == pair:
                    ids[i : i + 2] = [256 + len(merges)]
        merges.append(pair)
    return merges
