# wrong: each text gets half of the room
# loses: pair--too-long
# told: does not need its half
def assemble(first, second, longest, CLS, SEP, PAD):
    if second is None:
        ids = [CLS, *first.tolist()[: longest - 2], SEP]
        segments = [0] * len(ids)
    else:
        a, b, room = first.tolist(), second.tolist(), longest - 3
        if len(a) + len(b) > room:
            a, b = a[: room - room // 2], b[: room // 2]
        ids = [CLS, *a, SEP, *b, SEP]
        segments = [0] * (len(a) + 2) + [1] * (len(b) + 1)
    spare = longest - len(ids)
    return (
        torch.tensor(ids + [PAD] * spare),
        torch.tensor(segments + [0] * spare),
        torch.arange(longest) < len(ids),
    )
