# right: tensors cut word by word, a full input written into
def assemble(first, second, longest, CLS, SEP, PAD):
    texts = [first] if second is None else [first, second]
    special = 1 + len(texts)
    while sum(map(len, texts)) + special > longest:
        longer = 1 if len(texts) == 2 and len(texts[1]) >= len(texts[0]) else 0
        texts[longer] = texts[longer][:-1]
    ids = torch.full((longest,), PAD)
    segments = torch.zeros(longest, dtype=torch.long)
    ids[0], at = CLS, 1
    for segment, text in enumerate(texts):
        end = at + len(text)
        ids[at:end] = text
        ids[end] = SEP
        segments[at : end + 1] = segment
        at = end + 1
    real = torch.tensor([place < at for place in range(longest)])
    return ids, segments, real
