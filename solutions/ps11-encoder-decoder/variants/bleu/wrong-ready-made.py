# wrong: asks sacrebleu
# loses: bleu--corpus bleu--brevity bleu--zero bleu--sentences
# told: take the call out
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
