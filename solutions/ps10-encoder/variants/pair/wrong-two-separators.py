# wrong: a single text gets an empty second one
# loses: pair--one-text
# told: a single text has one \[SEP\]
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
