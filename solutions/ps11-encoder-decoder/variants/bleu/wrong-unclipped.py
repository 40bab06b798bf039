# wrong: does not clip
# loses: bleu--clipped bleu--references bleu--sentences
# told: not clipped
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
