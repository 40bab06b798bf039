# right: one place at a time, and a recursion
def encode(word, merges):
    table = {(a, b): r for r, (a, b) in enumerate(merges)}
    ids = [int(byte) for byte in word.encode("utf-8")]
    while True:
        best = None
        for i in range(len(ids) - 1):
            rank = table.get((ids[i], ids[i + 1]))
            if rank is not None and (best is None or rank < best[0]):
                best = rank, i
        if best is None:
            return ids
        rank, i = best
        ids[i : i + 2] = [256 + rank]


def decode(ids, merges):
    def spelt(i):
        if i < 256:
            return bytes([i])
        a, b = merges[i - 256]
        return spelt(a) + spelt(b)

    whole = bytes()
    for i in ids:
        whole += spelt(i)
    return whole.decode("utf-8", "replace")
