# right: without a Counter; logarithms
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
