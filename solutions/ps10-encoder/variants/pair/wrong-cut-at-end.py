# wrong: puts all together and cuts it off, as a BERT does that many have copied
# loses: pair--too-long pair--one-text
# told: at its end is lost
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
