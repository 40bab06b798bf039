# wrong: takes the mean of the sentences' BLEU
# loses: bleu--corpus bleu--brevity bleu--sentences bleu--zero
# told: mean of the sentences' BLEU
def matches(hypothesis, references, n):
    def grams(words):
        return Counter(zip(*(words[i:] for i in range(n))))

    own, others = grams(hypothesis), [grams(words) for words in references]
    found = sum(min(count, max(c[gram] for c in others)) for gram, count in own.items())
    return found, own.total()


def corpus_bleu(matched, total, lengths, reference_lengths):
    scores = []
    for row, there, c, r in zip(matched.tolist(), total.tolist(), lengths.tolist(), reference_lengths.tolist()):
        if min(row) == 0:
            scores.append(0.0)
            continue
        shares = [m / a for m, a in zip(row, there)]
        scores.append(100 * math.prod(shares) ** 0.25 * math.exp(min(0, 1 - r / c)))
    return sum(scores) / len(scores)
