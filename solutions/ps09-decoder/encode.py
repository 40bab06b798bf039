@right("in-order", "once through the merges, in their order")
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


@right("recursive", "one position at a time, and a recursion")
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


wrong(
    "strict",
    "bytes that must be UTF-8",
    told='errors="replace"',
    loses=["decode"],
    edit=('.decode(errors="replace")', ".decode()"),
)
wrong(
    "code-points",
    "characters instead of bytes",
    told="code points",
    loses=["bytes", "round-trip"],
    edit=("list(word.encode())", "[ord(c) for c in word]"),
)


@wrong(
    "each-by-itself",
    "each token decoded by itself",
    told="decode each token by itself",
    loses=["decode", "round-trip"],
)
def encode(word, merges):
    ids = list(word.encode())
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
    return "".join(spelt[i].decode(errors="replace") for i in ids)


wrong(
    "from-the-left",
    "the first pair from the left that fits",
    told="first pair from the left",
    loses=["rank", "repeats", "round-trip"],
    edit=[
        ("min(known, key=ranks.get)", "known[0]"),
        (
            "ids[i : i + 2] = [256 + ranks[pair]]",
            "ids[i : i + 2] = [256 + ranks[pair]]\n                break",
        ),
    ],
)


@wrong("library", "the course's own merges", told="by hand", spares=["decode"])
def encode(word, merges):
    from tfcourse.tokenizers.merges import apply_merges

    table = {tuple(pair): (r, 256 + r) for r, pair in enumerate(merges)}
    return apply_merges(list(word.encode()), table)


def decode(ids, merges):
    spelt = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        spelt.append(spelt[left] + spelt[right])
    whole = b"".join(spelt[i] for i in ids)
    return whole.decode(errors="replace")


@wrong(
    "longest",
    "the longest token that fits",
    told="longest token that fits",
    loses=["rank", "repeats"],
)
def encode(word, merges):
    spelt = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        spelt.append(spelt[left] + spelt[right])
    left, ids = word.encode(), []
    while left:
        fits = [i for i, token in enumerate(spelt) if left.startswith(token)]
        best = max(fits, key=lambda i: len(spelt[i]))
        ids.append(best)
        left = left[len(spelt[best]) :]
    return ids


def decode(ids, merges):
    spelt = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        spelt.append(spelt[left] + spelt[right])
    whole = b"".join(spelt[i] for i in ids)
    return whole.decode(errors="replace")


broken("min(known, key=ranks.get)", "max(known, key=ranks.get)")
broken("[256 + ranks[pair]]", "[255 + ranks[pair]]")
broken("spelt[left] + spelt[right]", "spelt[right] + spelt[left]")
broken('errors="replace"', 'errors="backslashreplace"')
