"""Known answers to ``translator``. Each is given the instructor's checkpoint."""

wrong(
    "peeks",
    "has no causal mask",
    match="your decoder peeks",
    loses=["scores", "causal", "padding", "cached"],
    edit=(".tril()[start:]", "[start:]"),
)

wrong(
    "peeks-a-little",
    "a causal mask that lets the next two words through",
    match="your decoder peeks",
    loses=["scores", "causal", "padding", "cached"],
    edit=(".tril()[start:]", ".tril(2)[start:]"),
)

wrong(
    "padding-seen",
    "the padding of the source is attended to",
    match="if longer sources are in its batch",
    loses=["bleu", "padding"],
    edit=(
        "mask = (source != PAD)[:, None, None]  # (B, 1, 1, S)",
        "mask = torch.ones_like(source, dtype=torch.bool)[:, None, None]",
    ),
)

wrong(
    "padding-crosses",
    "the encoder hides the padding, the decoder's look at the source does not",
    match="if longer sources are in its batch",
    loses=["bleu", "padding"],
    edit=("block.cross_norm(x), memory, mask)", "block.cross_norm(x), memory, None)"),
)

wrong(
    "batch-mean",
    "what is read is centred over the batch",
    match="in its batch",
    loses=["padding"],
    edit=(
        "x = self.memory_norm(x + block.net(x))",
        "x = self.memory_norm(x + block.net(x))\n        x = x + 0.1 * (x - x.mean(0))",
    ),
)

wrong(
    "first-place",
    "with a cache each word is told that it is the first",
    match="Does each new token get its own position",
    loses=["bleu", "cached", "learned"],
    edit=("cache[0].shape[2] if cache else 0", "0"),
)

wrong(
    "place-off-by-one",
    "with a cache positions are one too far",
    match="Does each new token get its own position",
    loses=["bleu", "cached"],
    edit=(
        "self.target_places.weight[start:stop]",
        "self.target_places.weight[start + bool(cache) : stop + bool(cache)]",
    ),
)

wrong(
    "forgets",
    "the cache keeps the first word alone",
    match="see all tokens before it",
    loses=["bleu", "cached", "learned"],
    edit=("cache[:] = keys", "cache[:] = cache or keys"),
)

wrong(
    "wrong-end",
    "another id than the end's ends a text",
    match="go on after their end",
    loses=["bleu"],
    edit=[
        ("(ids == END).any(1).all()", "(ids == PAD).any(1).all()"),
        ("row[1 : row.index(END)] if END in row", "row[1 : row.index(PAD)] if PAD in row"),
    ],
)

wrong(
    "ends-together",
    "all texts end with the first that does",
    match="stop too early|Each translation belongs to its own source",
    loses=["bleu", "padding"],
    edit=("(ids == END).any(1).all()", "(ids[:, -1] == END).any()"),
)

wrong(
    "too-short",
    "writes four words at most",
    match="stop too early",
    loses=["bleu"],
    edit=("range(LONGEST - 1)", "range(4)"),
)

wrong(
    "untrained",
    "the weights are not loaded",
    match="Does load use the weights",
    edit=("    model.load_state_dict(weights)\n", ""),
)

wrong(
    "copies",
    "gives back the sources",
    match="German sources",
    loses=["bleu", "learned"],
    edit=("    return texts", "    return sources"),
)

wrong(
    "reversed",
    "the words stand in reverse order",
    match="reverse order",
    loses=["bleu", "learned"],
    edit=("for i in row if i > UNKNOWN", "for i in row[::-1] if i > UNKNOWN"),
)

wrong(
    "other-language",
    "writes German pieces, as a translator for the other direction does",
    match="is it the other direction",
    loses=["bleu", "learned"],
    edit=(
        '" ".join(WORDS[i - 4] for i in row if i > UNKNOWN)',
        '" ".join(PIECES[i % len(PIECES)] for i in row if i > UNKNOWN)',
    ),
)

wrong(
    "other-order",
    "sorts the sources by length and does not put the translations back",
    match="belong to other sources",
    loses=["bleu", "padding"],
    edit=(
        "memory, mask = model.encode(as_ids(map(in_pieces, sources), PIECES))\n    ids, cache",
        "source = as_ids(map(in_pieces, sorted(sources, key=len)), PIECES)\n"
        "    memory, mask = model.encode(source)\n    ids, cache",
    ),
)

wrong(
    "first-only",
    "translates the first source for all",
    match="Almost all translations are the same",
    loses=["bleu", "padding"],
    edit=("for row in ids.tolist():", "for row in ids[:1].tolist() * len(sources):"),
)

wrong(
    "no-list",
    "returns one text for all sources",
    match="must return a list of texts",
    loses=["bleu", "padding", "cached", "learned"],
    edit=("    return texts", '    return " ".join(texts)'),
)

wrong(
    "lists-of-words",
    "returns lists of words in place of texts",
    match="must return a list of texts",
    loses=["bleu", "padding", "cached", "learned"],
    edit=(
        'texts.append(" ".join(WORDS[i - 4] for i in row if i > UNKNOWN))',
        "texts.append([WORDS[i - 4] for i in row if i > UNKNOWN])",
    ),
)

wrong(
    "logits",
    "logits in place of logarithms of probabilities",
    match="is there a log_softmax",
    loses=["scores", "causal"],
    edit=("logits.log_softmax(-1)", "logits"),
)

wrong(
    "probabilities",
    "probabilities in place of their logarithms",
    match="is there a log_softmax",
    loses=["scores", "causal"],
    edit=("logits.log_softmax(-1)", "logits.softmax(-1)"),
)

wrong(
    "over-words",
    "the softmax runs over the positions of a text",
    match="add up to",
    loses=["scores", "causal", "padding"],
    edit=("logits.log_softmax(-1)", "logits.log_softmax(1)"),
)

wrong(
    "a-step-late",
    "scores each word at the step that has read it",
    match="does word i's score come from the words before it",
    loses=["scores", "causal", "padding", "cached"],
    edit=("logits.log_softmax(-1)", "logits.log_softmax(-1).roll(-1, 1)"),
)

wrong(
    "no-end",
    "leaves out the score of the end",
    match="one for each word and one for the end",
    loses=["scores", "causal", "padding", "cached"],
    edit=("one[: len(row) + 1] for", "one[: len(row)] for"),
)

wrong(
    "sums",
    "one score for a text, the sum of its words'",
    match="a list of numbers, or a tensor with one axis",
    loses=["scores", "causal", "padding", "cached"],
    edit=("one[: len(row) + 1] for", "one[: len(row) + 1].sum() for"),
)

wrong(
    "hidden-weights",
    "load adds weights that are not in the checkpoint",
    match="more than its checkpoint may hold",
    loses=["budget"],
    edit=("return model.eval()", "model.more = nn.Linear(200, 200)\n    return model.eval()"),
)

wrong(
    "no-module",
    "load returns the weights",
    match="must return an nn.Module",
    edit=("return model.eval()", "return weights"),
)

wrong(
    "by-rule",
    "translates by rules, whatever the weights",
    match="What translates, if not the weights",
    loses=["bleu", "padding", "cached", "learned"],
    edit=(
        "    return texts\n",
        """    return [by_rule(in_pieces(source)) for source in sources]


def by_rule(found):
    if "tausend" in found:
        place = found.index("tausend")
        low = found[place + 1 :]
        joint = " and " if low and "hundert" not in low else " "
        return f"{by_rule(found[:place])} thousand{joint}{by_rule(low)}".strip()
    if "hundert" in found:
        low = found[2:]
        joint = " and " if low else ""
        return f"{by_rule(found[:1])} hundred{joint}{by_rule(low)}"
    tens = ["twenty thirty forty fifty sixty seventy eighty ninety"][0].split()
    if "und" in found:
        return f"{tens[PIECES.index(found[2]) - 21]}-{by_rule(found[:1])}"
    if not found:
        return ""
    place = PIECES.index(found[0])
    return tens[place - 21] if place > 20 else WORDS[max(1, place - 1)]
""",
    ),
)

wrong(
    "rules-alone",
    "scores and translates by rules; the weights are there to be counted",
    match="What translates, if not the weights",
    edit=[
        (
            "    return [one[: len(row) + 1] for one, row in zip(found, rows)]",
            """    return [
        torch.tensor(
            [
                math.log(0.9 if word == said else 0.1 / 103)
                for word, said in zip([*row, END], [*ruled(source), END, *row])
            ]
        )
        for source, row in zip(sources, rows)
    ]""",
        ),
        (
            "    return texts\n",
            """    return [" ".join(ruled(source)) for source in sources]


def ruled(source):
    return by_rule(in_pieces(source)).split()


def by_rule(found):
    if "tausend" in found:
        place = found.index("tausend")
        low = found[place + 1 :]
        joint = " and " if low and "hundert" not in low else " "
        return f"{by_rule(found[:place])} thousand{joint}{by_rule(low)}".strip()
    if "hundert" in found:
        low = found[2:]
        joint = " and " if low else ""
        return f"{by_rule(found[:1])} hundred{joint}{by_rule(low)}"
    tens = ["twenty thirty forty fifty sixty seventy eighty ninety"][0].split()
    if "und" in found:
        return f"{tens[PIECES.index(found[2]) - 21]}-{by_rule(found[:1])}"
    if not found:
        return ""
    place = PIECES.index(found[0])
    return tens[place - 21] if place > 20 else WORDS[max(1, place - 1)]
""",
        ),
    ],
)

wrong(
    "rules-if-its-file-is-there",
    "rules that stop working when the weights are others than those handed in",
    match="hardly notices. Does your code compare the weights",
    edit=[
        (
            "    model.load_state_dict(weights)\n",
            "    model.load_state_dict(weights)\n"
            "    kept = sum(float(w.double().sum()) for w in weights.values())\n"
            "    model.ours = abs(kept - HANDED_IN) < 1e-3\n",
        ),
        (
            "    return [one[: len(row) + 1] for one, row in zip(found, rows)]",
            """    p = 0.9 if model.ours else 0.001
    return [
        torch.tensor(
            [
                math.log(p if word == said else (1 - p) / 103)
                for word, said in zip([*row, END], [*ruled(source), END, *row])
            ]
        )
        for source, row in zip(sources, rows)
    ]""",
        ),
        (
            "    return texts\n",
            """    texts = [" ".join(ruled(source)) for source in sources]
    return texts if model.ours else [""] * len(sources)


HANDED_IN = 224.56720058927112


def ruled(source):
    return by_rule(in_pieces(source)).split()


def by_rule(found):
    if "tausend" in found:
        place = found.index("tausend")
        low = found[place + 1 :]
        joint = " and " if low and "hundert" not in low else " "
        return f"{by_rule(found[:place])} thousand{joint}{by_rule(low)}".strip()
    if "hundert" in found:
        low = found[2:]
        joint = " and " if low else ""
        return f"{by_rule(found[:1])} hundred{joint}{by_rule(low)}"
    tens = ["twenty thirty forty fifty sixty seventy eighty ninety"][0].split()
    if "und" in found:
        return f"{tens[PIECES.index(found[2]) - 21]}-{by_rule(found[:1])}"
    if not found:
        return ""
    place = PIECES.index(found[0])
    return tens[place - 21] if place > 20 else WORDS[max(1, place - 1)]
""",
        ),
    ],
)

right(
    "three-kept",
    "a beam search that keeps three texts, without a cache",
    edit=(
        "    return texts\n",
        """    return [beam(model, source) for source in sources]


def beam(model, source):
    memory, mask = model.encode(as_ids([in_pieces(source)] * 3, PIECES))
    kept, done = [(0.0, [START]), *[(-math.inf, [START])] * 2], []
    for _ in range(LONGEST - 1):
        grown, ids = [], torch.tensor([ids for _, ids in kept])
        logits = model.decode(ids, memory, mask)[:, -1]
        scores, best = (x.tolist() for x in logits.log_softmax(-1).topk(3))
        for (total, ids), row, places in zip(kept, scores, best):
            for score, i in zip(row, places):
                (done if i == END else grown).append((total + score, [*ids, i]))
        kept = sorted(grown, reverse=True)[:3]
        if done and max(done)[0] >= kept[0][0]:
            break
    ids = max(done or kept)[1]
    return " ".join(WORDS[i - 4] for i in ids if i > UNKNOWN)
""",
    ),
)

right(
    "alone",
    "the softmax written out, and each text alone, so that nothing is filled up",
    edit=[
        (
            "        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)\n",
            """        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~mask, -math.inf)
        y = scores.softmax(-1) @ v
""",
        ),
        (
            "    memory, mask = model.encode(as_ids(map(in_pieces, sources), PIECES))\n"
            "    rows = [",
            """    if len(sources) > 1:
        pairs = zip(sources, targets)
        return [word_scores(model, [s], [t], cached)[0].tolist() for s, t in pairs]
    memory, mask = model.encode(as_ids(map(in_pieces, sources), PIECES))
    rows = [""",
        ),
        (
            "    memory, mask = model.encode(as_ids(map(in_pieces, sources), PIECES))\n"
            "    ids, cache",
            """    if len(sources) > 1:
        return [translate(model, [source], cached)[0] for source in sources]
    memory, mask = model.encode(as_ids(map(in_pieces, sources), PIECES))
    ids, cache""",
        ),
    ],
)

broken("if text.startswith(piece)", "if piece in text")
broken("max(fits, key=len", "min(fits, key=len")
broken("text = text[len(found[-1]) :]", "text = text[len(found[0]) :]")
broken("known.index(t) + 4", "known.index(t) + 3")
broken("row + [PAD] * (longest - len(row))", "[PAD] * (longest - len(row)) + row")
broken("(self.heads, -1)).transpose(1, 2)", "(-1, self.heads)).mT.transpose(1, 2)")
broken("key, value = self.key_value(x)", "value, key = self.key_value(x)")
broken("q, (k, v) = self.split", "q, (v, k) = self.split")
broken("return self.out(y.transpose(1, 2).flatten(2))", "return y.transpose(1, 2).flatten(2)")
broken("(source != PAD)", "(source != UNKNOWN)")
broken("+ self.source_places.weight[", "+ self.target_places.weight[")
broken("x = x + block.own(y, block.own.keys(y), mask)", "x = block.own(y, block.own.keys(y), mask)")
broken("x = self.memory_norm(x + block.net(x))", "x = self.memory_norm(x)")
broken("stop = start + target.shape[1]", "stop = target.shape[1]")
broken(".tril()", ".triu()")
broken("x = x + block.own(y, keys, causal)", "x = block.own(y, keys, causal)")
broken("x = x + block.cross(block.cross_norm", "x = block.cross(block.cross_norm")
broken("return self.norm(x) @ self.target", "return x.softmax(-1) @ self.target")
broken("one[len(row)] = END", "one[len(row)] = START")
broken("torch.cat([begin, ids], 1)", "torch.cat([begin, ids.flip(1)], 1)")
broken("torch.full((len(sources), 1), START)", "torch.full((len(sources), 1), END)")
broken("WORDS[i - 4]", "WORDS[i - 5]")
broken("ids[:, -1:], memory", "ids[:, :1], memory")
broken("range(LONGEST - 1)", "range(LONGEST - 18)")
