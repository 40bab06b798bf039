@right("by-distance", "distance by distance, both directions at once, a tensor for the share")
def window_pairs(text, m):
    pairs = []
    for words in text:
        for d in range(1, m + 1):
            for left, right in zip(words, words[d:]):
                pairs += [(right, left), (left, right)]
    return tuple(pairs)


def share_taken(m, d):
    reach = torch.arange(1, m + 1)
    return (reach >= d).double().mean()


@right("slices", "slices to the left and right; the reaches counted")
def window_pairs(text, m):
    return [
        [words[i], near]
        for words in text
        for i in range(len(words))
        for near in words[max(0, i - m) : i] + words[i + 1 : i + m + 1]
    ]


def share_taken(m, d):
    return sum(1 for reach in range(1, m + 1) if reach >= d) / m


@right("plain", "the steps that the wrong answers below change", edited=True)
def window_pairs(text, m):
    pairs = []
    for words in text:
        for i, centre in enumerate(words):
            for j in range(max(0, i - m), min(len(words), i + m + 1)):
                if j != i:
                    pairs.append((centre, words[j]))
    return pairs


def share_taken(m, d):
    return max(0, m - d + 1) / m


wrong(
    "full-windows",
    "skips centres without a whole window",
    says=(
        "Your code makes no pairs for centres near the start and end of a sentence. Their "
        "window is just shorter: use the words that are there."
    ),
    spares=["share"],
    edit=(
        "for i, centre in enumerate(words):",
        (
            "for i, centre in enumerate(words):\n"
            "            if not m <= i < len(words) - m:\n"
            "                continue"
        ),
    ),
)


wrong(
    "itself",
    "the centre is paired with itself",
    says="Each word is paired with itself, too. Leave out the position j = i.",
    spares=["share"],
    edit=(
        "if j != i:\n                    pairs.append((centre, words[j]))",
        "pairs.append((centre, words[j]))",
    ),
)


@wrong(
    "left-only",
    "only what comes before the centre",
    says="You pair the centre only with words before it. The window extends to both sides.",
    spares=["share"],
)
def window_pairs(text, m):
    return [(c, o) for words in text for i, c in enumerate(words) for o in words[max(0, i - m) : i]]


def share_taken(m, d):
    return max(0, m - d + 1) / m


@wrong(
    "negative-slice",
    "no max at the left edge, by slices",
    says=(
        "Words before the centre are lost at the left edge: if i - m is negative, words[i - "
        "m : i] counts from the end. Start at max(0, i - m)."
    ),
    spares=["share"],
)
def window_pairs(text, m):
    return [
        (words[i], near)
        for words in text
        for i in range(len(words))
        for near in words[i - m : i] + words[i + 1 : i + m + 1]
    ]


def share_taken(m, d):
    return max(0, m - d + 1) / m


wrong(
    "one-stream",
    "joins the sentences first",
    says=(
        "Your windows cross the boundary between two sentences. The last word of one is not a "
        "neighbour of the first word of the next."
    ),
    loses=["edges", "sentences"],
    edit=("words in text", "words in [sum(text, [])]"),
)

wrong(
    "range-short",
    "range stops before i + m",
    says=(
        "The window is one word short on the right: range(i - m, i + m) and words[i - m : i "
        "+ m] stop before i + m."
    ),
    spares=["share"],
    edit=("m + 1", "m"),
)


@wrong(
    "right-only",
    "only what comes after the centre",
    says="You pair the centre only with words after it. The window extends to both sides.",
    spares=["share"],
)
def window_pairs(text, m):
    return [(c, o) for words in text for i, c in enumerate(words) for o in words[i + 1 : i + m + 1]]


def share_taken(m, d):
    return max(0, m - d + 1) / m


wrong(
    "same-words",
    "leaves out equal words instead of the centre's own position",
    says=(
        "A word that occurs twice in one window must be paired with itself. The positions "
        "must differ, i ≠ j, not the words."
    ),
    loses=["repeats"],
    edit=("j != i", "words[j] != centre"),
)

wrong(
    "set",
    "each pair once",
    says=(
        "You return each pair once. A pair that occurs twice in the text must be in the list twice."
    ),
    loses=["repeats"],
    edit=("return pairs", "return list(set(pairs))"),
)

wrong(
    "share-grows",
    "counts the reaches up to d",
    says=(
        "Your share grows with the distance. The word is taken by the reaches from d to m, not "
        "by those up to d."
    ),
    loses=["share"],
    edit=("max(0, m - d + 1)", "min(d, m)"),
)

wrong(
    "share-inverse",
    "falls like one over the distance",
    says=(
        "Your share falls like 1/d. It falls in equal steps: count the reaches that are long "
        "enough."
    ),
    loses=["share"],
    edit=("max(0, m - d + 1) / m", "1 / d"),
)

wrong(
    "share-negative",
    "below 0 beyond the window",
    says=(
        "Your share is negative beyond the window. No reach is long enough there, so the share "
        "is 0."
    ),
    loses=["share"],
    edit=("max(0, m - d + 1)", "(m - d + 1)"),
)

wrong(
    "share-off-by-one",
    "m - d reaches",
    says="You count one reach too few: a reach of d takes the word at distance d, too.",
    loses=["share"],
    edit=("d + 1", "d"),
)

wrong(
    "share-whole-window",
    "no reach at all",
    says=(
        "Your code takes all words of the window equally often. A reach of 1 takes only "
        "the words next to the centre."
    ),
    loses=["share"],
    edit=("max(0, m - d + 1) / m", "1.0 if d <= m else 0.0"),
)

wrong(
    "window-in-all",
    "m words in all instead of to each side",
    says=(
        "You use m as the size of the whole window. The window holds m words on each side of "
        "the centre."
    ),
    spares=["share"],
    edit=(
        "max(0, i - m), min(len(words), i + m + 1)",
        "max(0, i - m // 2), min(len(words), i + m // 2 + 1)",
    ),
)

wrong(
    "words-joined",
    "returns texts instead of pairs",
    match="list of pairs of words",
    spares=["share"],
    edit=("pairs.append((centre, words[j]))", 'pairs.append(centre + " " + words[j])'),
)


wrong(
    "wraps-round",
    "no max at the left edge, position by position",
    says=(
        "At the left edge the window wraps around to the end of the sentence: in Python "
        "words[-1] is the last word. Start at max(0, i - m)."
    ),
    spares=["share"],
    edit=(
        ("for j in range(max(0, i - m), min(len(words), i + m + 1)):\n                if j != i:"),
        (
            "for j in range(i - m, i + m + 1):\n"
            "                if j != i and -len(words) <= j < len(words):"
        ),
    ),
)


broken("first, last = max(0, i - m)", "first, last = max(1, i - m)")
broken("(centre, words[j])", "(centre, words[-j])")
broken("if j != i:", "if j % 2 != i % 2:")
broken("max(0, m - d + 1) / m", "max(0, m - d + 1) / (m + 1)")
