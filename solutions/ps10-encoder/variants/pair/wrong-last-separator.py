# wrong: the second [SEP] is of segment 0
# loses: pair--segments pair--too-long
# told: belongs to the second text
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
        segments += [1] * len(b) + [0]
    spare = longest - len(ids)
    return (
        torch.tensor(ids + [PAD] * spare),
        torch.tensor(segments + [0] * spare),
        torch.arange(longest) < len(ids),
    )
