@right("lists", "lists as pairs, a loop over positions")
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


@right("tuples", "words as tuples, joined by recursion")
def learn_merges(words, n):
    text = {tuple(word.encode()): count for word, count in words.items()}
    merges = []
    while len(merges) < n:
        pairs = [((a, b), count) for ids, count in text.items() for a, b in zip(ids[:-1], ids[1:])]
        if not pairs:
            return merges
        counts = {}
        for pair, count in pairs:
            counts[pair] = counts.get(pair, 0) + count
        most = max(counts.values())
        pair = sorted(pair for pair, count in counts.items() if count == most)[0]
        new = 256 + len(merges)
        text = {joined(ids, pair, new): count for ids, count in text.items()}
        merges.append(pair)
    return merges


def joined(ids, pair, new):
    if len(ids) < 2:
        return ids
    if ids[:2] == pair:
        return (new, *joined(ids[2:], pair, new))
    return (ids[0], *joined(ids[1:], pair, new))


wrong(
    "across-words",
    says="Some of your pairs reach from one word into the next. Count pairs only within a word.",
    edit=(
        "spelt = [list(word.encode()) for word in words]\n    times = list(words.values())",
        'text = "".join(word * count for word, count in words.items())\n'
        "    spelt, times = [list(text.encode())], [1]",
    ),
)

wrong(
    "code-points",
    "characters instead of bytes",
    says=(
        "Your ids are code points. Start from the bytes of the word's UTF-8: a character outside "
        "ASCII has two or more."
    ),
    loses=["bytes"],
    edit=("list(word.encode())", "[ord(c) for c in word]"),
)

wrong(
    "first-met",
    "a tie goes to the pair that is met first",
    says=(
        "Of equally frequent pairs you take the one that your code met first. Take the one with "
        "the smaller ids."
    ),
    edit=("min(counts, key=lambda pair: (-counts[pair], pair))", "max(counts, key=counts.get)"),
)

wrong(
    "ids-from-257",
    says="Your new ids begin with 257. The bytes are 0 to 255, so the first merge becomes 256.",
    edit=("[256 + len(merges)]", "[257 + len(merges)]"),
)

wrong(
    "joined-once",
    says=(
        "If the pair occurs twice in a word, you join only one of the two. Join it wherever it "
        "occurs."
    ),
    loses=["counts", "repeats", "bytes"],
    edit=(
        "ids[i : i + 2] = [256 + len(merges)]",
        "ids[i : i + 2] = [256 + len(merges)]\n                    break",
    ),
)

wrong(
    "larger-ids",
    says=(
        "Of equally frequent pairs you take the one with the larger ids. Take the one with the "
        "smaller ids."
    ),
    edit=(
        "min(counts, key=lambda pair: (-counts[pair], pair))",
        "max(counts, key=lambda pair: (counts[pair], pair))",
    ),
)

wrong(
    "no-return",
    "prints the merges",
    match="nothing comes back. Is there a `return`",
    edit=("return merges", "print(merges)"),
)


@wrong(
    "not-recounted",
    "the pairs are counted once",
    says=(
        "You count the pairs only once, before the first merge. Count again after each merge, "
        "which removes pairs and makes new ones."
    ),
)
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


wrong(
    "once-a-word",
    says="A pair that occurs twice in a word counts only once. Count it as often as it occurs.",
    loses=["counts", "repeats", "bytes"],
    edit=("in zip(ids, ids[1:]):", "in set(zip(ids, ids[1:])):"),
)

wrong(
    "overlapping",
    says=(
        "Your counts leave out overlapping pairs. Every two neighbours are a pair, so aaa has two."
    ),
    loses=["counts", "repeats"],
    edit=[
        (
            "for pair in zip(ids, ids[1:]):",
            "last = None\n            for pair in zip(ids, ids[1:]):",
        ),
        (
            "counts[pair] += count",
            "if pair == last:\n"
            "                    last = None\n"
            "                    continue\n"
            "                counts[pair] += count\n"
            "                last = pair",
        ),
    ],
)

wrong(
    "rarest",
    says="You join the rarest pair. Join the most frequent one.",
    edit=("(-counts[pair], pair))", "(counts[pair], pair))"),
)

wrong(
    "stops-early",
    says="You stop when no pair occurs twice. Continue as long as there is any pair.",
    spares=["by-hand", "counts"],
    edit=("if not counts:", "if not counts or max(counts.values()) < 2:"),
)

wrong(
    "types",
    "each different word counts once",
    says=(
        "Your code counts each different word once, however often it occurs. A pair in a word "
        "that occurs 5 times counts 5 times."
    ),
    spares=["ties"],
    edit=("counts[pair] += count", "counts[pair] += 1"),
)

broken("pair = min(counts", "pair = max(counts")
broken("[256 + len(merges)]", "[257 + len(merges)]")
broken("counts[pair] += count", "counts[pair] = count")
broken("(-counts[pair], pair))", "(-counts[pair], pair[1]))")
