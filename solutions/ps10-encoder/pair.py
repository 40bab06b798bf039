@right("cut-and-filled", "tensors cut word by word, a full input written into")
def assemble(first, second, longest, CLS, SEP, PAD):
    texts = [first] if second is None else [first, second]
    special = 1 + len(texts)
    while sum(map(len, texts)) + special > longest:
        longer = 1 if len(texts) == 2 and len(texts[1]) >= len(texts[0]) else 0
        texts[longer] = texts[longer][:-1]
    ids = torch.full((longest,), PAD)
    segments = torch.zeros(longest, dtype=torch.long)
    ids[0], at = CLS, 1
    for segment, text in enumerate(texts):
        end = at + len(text)
        ids[at:end] = text
        ids[end] = SEP
        segments[at : end + 1] = segment
        at = end + 1
    real = torch.tensor([place < at for place in range(longest)])
    return ids, segments, real


@right("lengths", "the lengths that stay computed at once, tensors joined")
def assemble(first, second, longest, CLS, SEP, PAD):
    mark = lambda *ids: torch.tensor(ids, dtype=first.dtype)
    if second is None:
        parts = [mark(CLS), first[: longest - 2], mark(SEP)]
        of_first = longest
    else:
        room = longest - 3
        n = min(len(first), max(room - len(second), room - room // 2))
        m = min(len(second), room - n)
        parts = [mark(CLS), first[:n], mark(SEP), second[:m], mark(SEP)]
        of_first = n + 2
    ids = torch.cat(parts)
    place = torch.arange(longest)
    real = place < len(ids)
    segments = ((place >= of_first) & real).long()
    return F.pad(ids, (0, longest - len(ids)), value=PAD), segments, real


wrong(
    "all-zero",
    says="Everything is in segment 0. The second text is segment 1.",
    loses=["segments", "too-long"],
    edit=("segments += [1]", "segments += [0]"),
)


@wrong(
    "cut-at-end",
    "joins everything and cuts it off, as a much-copied BERT does",
    says=(
        "You build the whole input and then cut it off, so the [SEP] at its end is lost, "
        "and perhaps all of the second text. Shorten the texts first, word by word."
    ),
    loses=["too-long", "one-text"],
)
def assemble(first, second, longest, CLS, SEP, PAD):
    ids = [CLS, *first.tolist(), SEP]
    segments = [0] * len(ids)
    if second is not None:
        ids += [*second.tolist(), SEP]
        segments += [1] * (len(second) + 1)
    ids, segments = ids[:longest], segments[:longest]
    spare = longest - len(ids)
    return (
        torch.tensor(ids + [PAD] * spare),
        torch.tensor(segments + [0] * spare),
        torch.arange(longest) < len(ids),
    )


wrong(
    "first-separator",
    says="The [SEP] after the first text belongs to the first text: segment 0.",
    loses=["segments", "too-long"],
    edit=(
        "segments += [1] * (len(b) + 1)",
        "segments = [0] * (len(a) + 1) + [1] * (len(b) + 2)",
    ),
)


@wrong(
    "floats",
    "ids as floating-point numbers",
    match="ids and segments are whole numbers",
    spares=["segments", "real"],
)
def assemble(first, second, longest, CLS, SEP, PAD):
    a = first.tolist()
    b = [] if second is None else second.tolist()
    room = longest - (2 if second is None else 3)
    while len(a) + len(b) > room:
        (a if len(a) > len(b) else b).pop()
    joined = [CLS, *a, SEP] + ([] if second is None else [*b, SEP])
    ids = torch.full((longest,), float(PAD))
    ids[: len(joined)] = torch.Tensor(joined)
    place = torch.arange(longest)
    real = place < len(joined)
    return ids, ((place > len(a) + 1) & real).long(), real


wrong(
    "from-one",
    says="You number the segments from 1. The first text is segment 0.",
    loses=["segments", "too-long", "one-text"],
    edit=[
        ("segments = [0] * len(ids)", "segments = [1] * len(ids)"),
        ("segments += [1]", "segments += [2]"),
    ],
)

wrong(
    "front",
    says="You take words off the beginning. Take them off the end.",
    loses=["too-long", "one-text"],
    edit=(".pop()", ".pop(0)"),
)


@wrong(
    "halves",
    "each text gets half of the room",
    says=(
        "You give each text half of the positions, though one of them does not need its "
        "half. Take words off the longer text only until both fit."
    ),
    loses=["too-long"],
)
def assemble(first, second, longest, CLS, SEP, PAD):
    if second is None:
        ids = [CLS, *first.tolist()[: longest - 2], SEP]
        segments = [0] * len(ids)
    else:
        a, b, room = first.tolist(), second.tolist(), longest - 3
        if len(a) + len(b) > room:
            a, b = a[: room - room // 2], b[: room // 2]
        ids = [CLS, *a, SEP, *b, SEP]
        segments = [0] * (len(a) + 2) + [1] * (len(b) + 1)
    spare = longest - len(ids)
    return (
        torch.tensor(ids + [PAD] * spare),
        torch.tensor(segments + [0] * spare),
        torch.arange(longest) < len(ids),
    )


wrong(
    "inverted-mask",
    says="Your mask is the wrong way round: True = a real token, False = padding.",
    loses=["real", "one-text"],
    edit=("torch.arange(longest) < len(ids)", "torch.arange(longest) >= len(ids)"),
)

wrong(
    "last-separator",
    "the second [SEP] is of segment 0",
    says="The [SEP] at the end belongs to the second text: segment 1.",
    loses=["segments", "too-long"],
    edit=("* (len(b) + 1)", "* len(b) + [0]"),
)

wrong(
    "no-cls",
    says="The [CLS] at the beginning is missing.",
    edit=("[CLS, *a, SEP]", "[*a, SEP]"),
)

wrong(
    "no-end",
    "no [SEP] after the second text",
    says="The [SEP] at the end is missing: each text ends with one.",
    spares=["one-text"],
    edit=(
        "ids += [*b, SEP]\n        segments += [1] * (len(b) + 1)",
        "ids += b\n        segments += [1] * len(b)",
    ),
)

wrong(
    "no-middle",
    says="The [SEP] between the texts is missing.",
    spares=["one-text"],
    edit=(
        "ids = [CLS, *a, SEP]",
        "ids = [CLS, *a, SEP] if second is None else [CLS, *a]",
    ),
)

wrong(
    "number-mask",
    "the real positions as numbers",
    match="expected booleans",
    loses=["real", "one-text"],
    edit=("torch.arange(longest) < len(ids)", "torch.tensor([1] * len(ids) + [0] * spare)"),
)

wrong(
    "only-second",
    says=(
        "You shorten only the second text. Take each word off the text that is longer at that "
        "moment."
    ),
    loses=["too-long"],
    edit=(
        "while len(a) + len(b) > room:\n        (a if len(a) > len(b) else b).pop()",
        "a = a[:room]\n    b = b[: room - len(a)]",
    ),
)

wrong(
    "padding-first",
    says="Your padding comes before the texts. It belongs after them.",
    spares=["too-long"],
    edit=[
        ("ids + [PAD] * spare", "[PAD] * spare + ids"),
        ("segments + [0] * spare", "[0] * spare + segments"),
        ("torch.arange(longest) < len(ids)", "torch.arange(longest) >= spare"),
    ],
)

wrong(
    "padding-one",
    says="Your padding is in segment 1. Here padding belongs to segment 0.",
    loses=["segments", "one-text"],
    edit=("segments + [0] * spare", "segments + [1] * spare"),
)

wrong(
    "special-hidden",
    says="Your mask hides [CLS] and [SEP]. They are real tokens: only padding is not.",
    loses=["real", "one-text"],
    edit=(
        "torch.arange(longest) < len(ids)",
        "torch.tensor([i not in (CLS, SEP) for i in ids] + [False] * spare)",
    ),
)

wrong(
    "swapped-segments",
    says="The segments are the wrong way round: 0 for the first text, 1 for the second.",
    loses=["segments", "too-long", "one-text"],
    edit=[
        ("segments = [0] * len(ids)", "segments = [1] * len(ids)"),
        ("segments += [1]", "segments += [0]"),
    ],
)

wrong(
    "tie-first",
    "if both texts are equally long, the first loses its word",
    says="If both texts are equally long, shorten the second. Your code shortens the first.",
    loses=["too-long"],
    edit=("a if len(a) > len(b) else b", "b if len(b) > len(a) else a"),
)


@wrong(
    "two-separators",
    "a single text gets an empty second one",
    says="A single text has one [SEP]. Your code adds an empty second text after it.",
    loses=["one-text"],
)
def assemble(first, second, longest, CLS, SEP, PAD):
    a = first.tolist()
    b = second.tolist() if second is not None else []
    while len(a) + len(b) > longest - 3:
        (a if len(a) > len(b) else b).pop()
    ids = [CLS] + a + [SEP] + b + [SEP]
    segments = [0] * (len(a) + 2) + [1] * (len(b) + 1)
    spare = longest - len(ids)
    return (
        torch.tensor(ids + [PAD] * spare),
        torch.tensor(segments + [0] * spare),
        torch.arange(longest) < len(ids),
    )


broken("a = first.tolist()", "a = first.tolist()[::-1]")
broken("room = longest - (2 if second is None else 3)", "room = longest - 3")
broken("(a if len(a) > len(b) else b).pop()", "(a if len(a) >= len(b) else b).pop()")
broken("segments = [0] * len(ids)", "segments = [0] * (len(ids) - 1) + [1]")
broken("ids + [PAD] * spare", "ids + [0] * spare")
broken("torch.arange(longest) < len(ids)", "torch.arange(longest) <= len(ids)")
