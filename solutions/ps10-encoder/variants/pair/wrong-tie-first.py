# wrong: where both texts are as long, the first loses its word
# loses: pair--too-long
# told: Your code shortens the first
def assemble(first, second, longest, CLS, SEP, PAD):
    a = first.tolist()
    b = [] if second is None else second.tolist()
    room = longest - (2 if second is None else 3)
    while len(a) + len(b) > room:
        (b if len(b) > len(a) else a).pop()
    ids = [CLS, *a, SEP]
    segments = [0] * len(ids)
    if second is not None:
        ids += [*b, SEP]
        segments += [1] * (len(b) + 1)
    spare = longest - len(ids)
    return (
        torch.tensor(ids + [PAD] * spare),
        torch.tensor(segments + [0] * spare),
        torch.arange(longest) < len(ids),
    )
