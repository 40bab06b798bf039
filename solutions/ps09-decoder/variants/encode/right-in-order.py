# right: once through the merges, in their order
def encode(word, merges):
    ids = list(bytes(word, "utf8"))
    for new, (a, b) in enumerate(merges, start=256):
        i = 0
        while i + 1 < len(ids):
            if ids[i] == a and ids[i + 1] == b:
                ids = ids[:i] + [new] + ids[i + 2 :]
            i = i + 1
    return ids


def decode(ids, merges):
    ids = list(ids)
    while any(i > 255 for i in ids):
        ids = [part for i in ids for part in ([i] if i < 256 else merges[i - 256])]
    return str(bytes(ids), "utf-8", errors="replace")
