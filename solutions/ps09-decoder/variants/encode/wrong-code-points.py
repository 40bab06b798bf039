# wrong: characters instead of bytes
# loses: encode--bytes encode--round-trip
# told: code points
def encode(word, merges):
    ids = [ord(c) for c in word]
    ranks = {tuple(pair): r for r, pair in enumerate(merges)}
    while True:
        known = [pair for pair in zip(ids, ids[1:]) if pair in ranks]
        if not known:
            return ids
        pair = min(known, key=ranks.get)
        for i in range(len(ids)):
            if tuple(ids[i : i + 2]) == pair:
                ids[i : i + 2] = [256 + ranks[pair]]


def decode(ids, merges):
    spelt = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        spelt.append(spelt[left] + spelt[right])
    whole = b"".join(spelt[i] for i in ids)
    return whole.decode(errors="replace")
