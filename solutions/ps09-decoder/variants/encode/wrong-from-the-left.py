# wrong: the first pair from the left that fits
# loses: encode--rank encode--repeats encode--round-trip
# told: first pair from the left
def encode(word, merges):
    ids = list(word.encode())
    ranks = {tuple(pair): r for r, pair in enumerate(merges)}
    while True:
        known = [pair for pair in zip(ids, ids[1:]) if pair in ranks]
        if not known:
            return ids
        pair = known[0]
        for i in range(len(ids)):
            if tuple(ids[i : i + 2]) == pair:
                ids[i : i + 2] = [256 + ranks[pair]]
                break


def decode(ids, merges):
    spelt = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        spelt.append(spelt[left] + spelt[right])
    whole = b"".join(spelt[i] for i in ids)
    return whole.decode(errors="replace")
