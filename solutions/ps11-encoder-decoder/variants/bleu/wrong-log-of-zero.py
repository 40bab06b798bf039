# wrong: takes the logarithm of a precision of 0, and leaves the penalty out
# loses: bleu--brevity bleu--zero bleu--sentences
# told: stops with|brevity penalty is missing
def matches(hypothesis, references, n):
    def grams(words):
        return Counter(zip(*(words[i:] for i in range(n))))

    own, others = grams(hypothesis), [grams(words) for words in references]
    found = sum(min(count, max(c[gram] for c in others)) for gram, count in own.items())
    return found, own.total()


def corpus_bleu(matched, total, lengths, reference_lengths):
    shares = [m / a for m, a in zip(matched.sum(0).tolist(), total.sum(0).tolist())]
    return 100 * math.exp(sum(math.log(share) for share in shares) / 4)
