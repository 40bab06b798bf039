# wrong: ids as floating-point numbers
# loses: pair--ids pair--too-long pair--one-text
# told: ids and segments are whole numbers
def assemble(first, second, longest, CLS, SEP, PAD):
    a = first.tolist()
    b = [] if second is None else second.tolist()
    room = longest - (2 if second is None else 3)
    while len(a) + len(b) > room:
        (a if len(a) > len(b) else b).pop()
    joined = [CLS, *a, SEP] + ([] if second is None else [*b, SEP])
    ids = torch.full((longest,), float(PAD))
    ids[: len(joined)] = torch.Tensor(joined)
    place = torch.arange(longest)
    real = place < len(joined)
    return ids, ((place > len(a) + 1) & real).long(), real
