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
    "bytes-as-characters",
    says=(
        "You turn each byte into a character of its own. In UTF-8, a character may consist of "
        "several bytes."
    ),
    loses=["decode", "round-trip"],
    edit=('whole.decode(errors="replace")', '"".join(chr(byte) for byte in whole)'),
)

wrong(
    "code-points",
    "characters instead of bytes",
    says=(
        "Your ids are code points. Start from the bytes of the word's UTF-8: a character outside "
        "ASCII has two or more."
    ),
    loses=["bytes", "round-trip"],
    edit=("list(word.encode())", "[ord(c) for c in word]"),
)

wrong(
    "dropped",
    says="You drop bytes that are not valid UTF-8. They must become U+FFFD.",
    loses=["decode"],
    edit=('errors="replace"', 'errors="ignore"'),
)


wrong(
    "each-by-itself",
    "each token decoded by itself",
    says=(
        "You decode each token by itself. A character may span two tokens, so join the bytes of "
        "all tokens first."
    ),
    loses=["decode", "round-trip"],
    edit=(
        ('whole = b"".join(spelt[i] for i in ids)\n    return whole.decode(errors="replace")'),
        'return "".join(spelt[i].decode(errors="replace") for i in ids)',
    ),
)


wrong(
    "from-the-left",
    "the first pair from the left that fits",
    says=(
        "You join the first pair from the left that is among the merges. Of all such pairs in "
        "the word, join the one that was learned first."
    ),
    loses=["rank", "repeats", "round-trip"],
    edit=[
        ("min(known, key=ranks.get)", "known[0]"),
        (
            "ids[i : i + 2] = [256 + ranks[pair]]",
            "ids[i : i + 2] = [256 + ranks[pair]]\n                break",
        ),
    ],
)

wrong(
    "from-the-right",
    says="If equal pairs overlap, you join the one on the right. Go from left to right.",
    loses=["rank", "repeats"],
    edit=("for i in range(len(ids)):", "for i in reversed(range(len(ids))):"),
)

wrong(
    "last-learned",
    says="You join the pair that was learned last. Join the one that was learned first.",
    loses=["by-hand", "rank", "round-trip"],
    edit=("min(known, key=ranks.get)", "max(known, key=ranks.get)"),
)


@wrong("library", "the course's own merges", match="by hand", spares=["decode"])
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
    says=(
        "You take the longest token that fits, from the left. Merges are applied in the order in "
        "which they were learned, and that may give other tokens."
    ),
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


wrong(
    "numbers-of-merges",
    says="You return the numbers of the merges. Merge number r becomes the id 256 + r.",
    spares=["decode"],
    edit=("[256 + ranks[pair]]", "[ranks[pair]]"),
)


@wrong(
    "one-occurrence",
    says="Your code joins only one occurrence of each pair. Join them all.",
    loses=["rank", "repeats", "bytes"],
)
def encode(word, merges):
    ids = list(word.encode())
    for r, pair in enumerate(merges):
        for i in range(len(ids)):
            if tuple(ids[i : i + 2]) == tuple(pair):
                ids[i : i + 2] = [256 + r]
                break
    return ids


def decode(ids, merges):
    spelt = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        spelt.append(spelt[left] + spelt[right])
    whole = b"".join(spelt[i] for i in ids)
    return whole.decode(errors="replace")


wrong(
    "one-too-large",
    says="Your new ids are one too large: merge number 0 becomes 256.",
    spares=["decode"],
    edit=("[256 + ranks[pair]]", "[257 + ranks[pair]]"),
)

wrong(
    "strict",
    "bytes that must be UTF-8",
    match='errors="replace"',
    loses=["decode"],
    edit=('.decode(errors="replace")', ".decode()"),
)

wrong(
    "swapped-parts",
    says="The two parts of a token are swapped. The bytes of the first part come first.",
    loses=["decode", "round-trip"],
    edit=("spelt[left] + spelt[right]", "spelt[right] + spelt[left]"),
)

wrong(
    "unjoined",
    says="Nothing is joined: you return the bytes.",
    spares=["decode"],
    edit=("if pair in ranks", "if list(pair) in merges"),
)

broken("min(known, key=ranks.get)", "max(known, key=ranks.get)")
broken("[256 + ranks[pair]]", "[255 + ranks[pair]]")
broken("spelt[left] + spelt[right]", "spelt[right] + spelt[left]")
broken('errors="replace"', 'errors="backslashreplace"')
