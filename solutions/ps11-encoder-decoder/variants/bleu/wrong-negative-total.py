# wrong: counts fewer than no n-grams in a short text
# loses: bleu--clipped
# told: not less than none
def matches(hypothesis, references, n):
    def grams(words):
        return Counter(zip(*(words[i:] for i in range(n))))

    own, others = grams(hypothesis), [grams(words) for words in references]
    found = sum(min(count, max(c[gram] for c in others)) for gram, count in own.items())
    return found, len(hypothesis) - n + 1


def corpus_bleu(matched, total, lengths, reference_lengths):
    product = 1.0
    for found, there in zip(matched.sum(0).tolist(), total.sum(0).tolist()):
        product *= found / max(there, 1)
    c, r = lengths.sum().item(), reference_lengths.sum().item()
    return 100 * product**0.25 * math.exp(min(0, 1 - r / max(c, 1)))
