# right: the lengths that stay computed at once, tensors joined
def assemble(first, second, longest, CLS, SEP, PAD):
    mark = lambda *ids: torch.tensor(ids, dtype=first.dtype)
    if second is None:
        parts = [mark(CLS), first[: longest - 2], mark(SEP)]
        of_first = longest
    else:
        room = longest - 3
        n = min(len(first), max(room - len(second), room - room // 2))
        m = min(len(second), room - n)
        parts = [mark(CLS), first[:n], mark(SEP), second[:m], mark(SEP)]
        of_first = n + 2
    ids = torch.cat(parts)
    place = torch.arange(longest)
    real = place < len(ids)
    segments = ((place >= of_first) & real).long()
    return F.pad(ids, (0, longest - len(ids)), value=PAD), segments, real
