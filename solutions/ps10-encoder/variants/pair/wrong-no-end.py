# wrong: no [SEP] behind the second text
# loses: pair--ids pair--segments pair--real pair--too-long
# told: \[SEP\] at the end is missing
def assemble(first, second, longest, CLS, SEP, PAD):
    a = first.tolist()
    b = [] if second is None else second.tolist()
    room = longest - (2 if second is None else 3)
    while len(a) + len(b) > room:
        (a if len(a) > len(b) else b).pop()
    ids = [CLS, *a, SEP]
    segments = [0] * len(ids)
    if second is not None:
        ids += b
        segments += [1] * len(b)
    spare = longest - len(ids)
    return (
        torch.tensor(ids + [PAD] * spare),
        torch.tensor(segments + [0] * spare),
        torch.arange(longest) < len(ids),
    )
