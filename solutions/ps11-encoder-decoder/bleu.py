@right("strike-out", "without a Counter; logarithms")
def matches(hypothesis, references, n):
    grams = [" ".join(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)]
    found = 0
    for gram in set(grams):
        most = 0
        for words in references:
            here = [" ".join(words[i : i + n]) == gram for i in range(len(words) - n + 1)]
            most = max(most, sum(here))
        found += min(grams.count(gram), most)
    return found, len(grams)


def corpus_bleu(matched, total, lengths, reference_lengths):
    found, there = matched.sum(0).double(), total.sum(0).double()
    if found.min() == 0:
        return 0.0
    log_p = (found / there).log().mean().item()
    ratio = (reference_lengths.sum() / lengths.sum()).item()
    return 100 * math.exp(log_p + min(0.0, 1 - ratio))


@right("zip", "n-grams by zip, the product of the precisions", edited=True)
def matches(hypothesis, references, n):
    def grams(words):
        return Counter(zip(*(words[i:] for i in range(n))))

    own, others = grams(hypothesis), [grams(words) for words in references]
    found = sum(min(count, max(c[gram] for c in others)) for gram, count in own.items())
    return found, own.total()


def corpus_bleu(matched, total, lengths, reference_lengths):
    product = 1.0
    for found, there in zip(matched.sum(0).tolist(), total.sum(0).tolist()):
        product *= found / max(there, 1)
    c, r = lengths.sum().item(), reference_lengths.sum().item()
    return 100 * product**0.25 * math.exp(min(0, 1 - r / max(c, 1)))


wrong(
    "added-up",
    "clips by the references' counts together",
    told="You add up the counts of the",
    loses=["references"],
    edit=("count, max", "count, sum"),
)


@wrong(
    "log-of-zero",
    "takes the logarithm of a precision of 0, and leaves the penalty out",
    says=(
        "Each of these mistakes gives the same numbers here:\n- The brevity penalty is "
        "missing.\n- The brevity penalty is inverted, though capped at 1: it is exp(1 - "
        "r/c), where r is the references' length."
    ),
    loses=["brevity", "zero", "sentences"],
)
def matches(hypothesis, references, n):
    def grams(words):
        return Counter(zip(*(words[i:] for i in range(n))))

    own, others = grams(hypothesis), [grams(words) for words in references]
    found = sum(min(count, max(c[gram] for c in others)) for gram, count in own.items())
    return found, own.total()


def corpus_bleu(matched, total, lengths, reference_lengths):
    shares = [m / a for m, a in zip(matched.sum(0).tolist(), total.sum(0).tolist())]
    return 100 * math.exp(sum(math.log(share) for share in shares) / 4)


@wrong(
    "mean-of-sentences",
    "takes the mean of the sentences' BLEU",
    says="This is the mean of the sentences' BLEU. Add up the counts of all sentences first.",
    spares=["clipped", "references"],
)
def matches(hypothesis, references, n):
    def grams(words):
        return Counter(zip(*(words[i:] for i in range(n))))

    own, others = grams(hypothesis), [grams(words) for words in references]
    found = sum(min(count, max(c[gram] for c in others)) for gram, count in own.items())
    return found, own.total()


def corpus_bleu(matched, total, lengths, reference_lengths):
    scores = []
    for row, there, c, r in zip(
        matched.tolist(), total.tolist(), lengths.tolist(), reference_lengths.tolist()
    ):
        if min(row) == 0:
            scores.append(0.0)
            continue
        shares = [m / a for m, a in zip(row, there)]
        scores.append(100 * math.prod(shares) ** 0.25 * math.exp(min(0, 1 - r / c)))
    return sum(scores) / len(scores)


wrong(
    "negative-total",
    "counts fewer than no n-grams in a short text",
    told="A text of fewer than n words",
    loses=["clipped"],
    edit=("own.total()", "len(hypothesis) - n + 1"),
)


@wrong("ready-made", "asks sacrebleu", told="take the call out", spares=["clipped", "references"])
def matches(hypothesis, references, n):
    def grams(words):
        return Counter(zip(*(words[i:] for i in range(n))))

    own, others = grams(hypothesis), [grams(words) for words in references]
    found = sum(min(count, max(c[gram] for c in others)) for gram, count in own.items())
    return found, own.total()


def corpus_bleu(matched, total, lengths, reference_lengths):
    from sacrebleu.metrics import BLEU

    counts = (x.sum(0).tolist() for x in (matched, total, lengths, reference_lengths))
    return BLEU.compute_bleu(*counts).score


@wrong(
    "unclipped", "does not clip", told="not clipped", loses=["clipped", "references", "sentences"]
)
def matches(hypothesis, references, n):
    def grams(words):
        return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]

    known = {gram for words in references for gram in grams(words)}
    return sum(gram in known for gram in grams(hypothesis)), len(grams(hypothesis))


def corpus_bleu(matched, total, lengths, reference_lengths):
    product = 1.0
    for found, there in zip(matched.sum(0).tolist(), total.sum(0).tolist()):
        product *= found / max(there, 1)
    c, r = lengths.sum().item(), reference_lengths.sum().item()
    return 100 * product**0.25 * math.exp(min(0, 1 - r / max(c, 1)))


broken("len(words) - n + 1", "len(words) - n")
broken("own & most", "own | most")
broken("sum(own.values())", "len(hypothesis) - n + 1")
broken("1.0 if c >= r else math.exp(1 - r / c)", "math.exp(1 - r / c)")
