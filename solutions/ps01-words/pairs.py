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


@wrong(
    "full-windows",
    "skips centres without a whole window",
    told="makes no pairs for words near",
    spares=["share"],
)
def window_pairs(text, m):
    pairs = []
    for words in text:
        for i, centre in enumerate(words):
            if not m <= i < len(words) - m:
                continue
            for j in range(max(0, i - m), min(len(words), i + m + 1)):
                if j != i:
                    pairs.append((centre, words[j]))
    return pairs


def share_taken(m, d):
    return max(0, m - d + 1) / m


wrong(
    "itself",
    "the centre is paired with itself",
    told="Each word is paired with itself",
    spares=["share"],
    edit=(
        "if j != i:\n                    pairs.append((centre, words[j]))",
        "pairs.append((centre, words[j]))",
    ),
)


@wrong(
    "left-only",
    "only what comes before the centre",
    told="You pair the centre only with words before",
    spares=["share"],
)
def window_pairs(text, m):
    return [(c, o) for words in text for i, c in enumerate(words) for o in words[max(0, i - m) : i]]


def share_taken(m, d):
    return max(0, m - d + 1) / m


@wrong(
    "negative-slice",
    "no max at the left edge, by slices",
    told="lost at the left edge",
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
    told="border between two sentences",
    loses=["edges", "sentences"],
    edit=("words in text", "words in [sum(text, [])]"),
)

wrong(
    "range-short",
    "range stops before i + m",
    told="one word short on the right",
    spares=["share"],
    edit=("m + 1", "m"),
)


@wrong(
    "right-only",
    "only what comes after the centre",
    told="You pair the centre only with words after",
    spares=["share"],
)
def window_pairs(text, m):
    return [(c, o) for words in text for i, c in enumerate(words) for o in words[i + 1 : i + m + 1]]


def share_taken(m, d):
    return max(0, m - d + 1) / m


wrong(
    "same-words",
    "leaves out equal words instead of the centre's own position",
    told="positions must differ",
    loses=["repeats"],
    edit=("j != i", "words[j] != centre"),
)

wrong(
    "set",
    "each pair once",
    told="You count each pair once",
    loses=["repeats"],
    edit=("return pairs", "return list(set(pairs))"),
)

wrong(
    "share-grows",
    "counts the reaches up to d",
    says=(
        "This grows with the distance: the reaches from d to m take the word, not those up to d."
    ),
    loses=["share"],
    edit=("max(0, m - d + 1)", "min(d, m)"),
)

wrong(
    "share-inverse",
    "falls like one over the distance",
    says=("The share falls in equal steps, not like 1/d: count the reaches that are long enough."),
    loses=["share"],
    edit=("max(0, m - d + 1) / m", "1 / d"),
)

wrong(
    "share-negative",
    "below 0 beyond the window",
    says="At a distance beyond the window no reach is long enough: a share is never below 0.",
    loses=["share"],
    edit=("max(0, m - d + 1)", "(m - d + 1)"),
)

wrong(
    "share-off-by-one",
    "m - d reaches",
    says=(
        "A reach of d takes the word at distance d too: d, d + 1, ... up to m are m - d + "
        "1 reaches."
    ),
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
    told="number of words in the whole window|it must come",
    spares=["share"],
    edit=(
        "max(0, i - m), min(len(words), i + m + 1)",
        "max(0, i - m // 2), min(len(words), i + m // 2 + 1)",
    ),
)

wrong(
    "words-joined",
    "returns texts instead of pairs",
    told="list of pairs of words",
    spares=["share"],
    edit=("pairs.append((centre, words[j]))", 'pairs.append(centre + " " + words[j])'),
)


@wrong(
    "wraps-round",
    "no max at the left edge, position by position",
    told="wraps around to the end",
    spares=["share"],
)
def window_pairs(text, m):
    pairs = []
    for words in text:
        for i, centre in enumerate(words):
            for j in range(i - m, i + m + 1):
                if j != i and -len(words) <= j < len(words):
                    pairs.append((centre, words[j]))
    return pairs


def share_taken(m, d):
    return max(0, m - d + 1) / m


broken("first, last = max(0, i - m)", "first, last = max(1, i - m)")
broken("(centre, words[j])", "(centre, words[-j])")
broken("if j != i:", "if j % 2 != i % 2:")
broken("max(0, m - d + 1) / m", "max(0, m - d + 1) / (m + 1)")
