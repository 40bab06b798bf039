# wrong: the real places as numbers
# loses: pair--real pair--one-text
# told: booleans are asked for
def assemble(first, second, longest, CLS, SEP, PAD):
    a = first.tolist()
    b = [] if second is None else second.tolist()
    room = longest - (2 if second is None else 3)
    while len(a) + len(b) > room:
        (a if len(a) > len(b) else b).pop()
    ids = [CLS, *a, SEP]
    segments = [0] * len(ids)
    if second is not None:
        ids += [*b, SEP]
        segments += [1] * (len(b) + 1)
    spare = longest - len(ids)
    return (
        torch.tensor(ids + [PAD] * spare),
        torch.tensor(segments + [0] * spare),
        torch.tensor([1] * len(ids) + [0] * spare),
    )
