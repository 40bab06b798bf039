@right("filled", "a copy that is filled by masks")
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    chosen = torch.logical_and(c < share, candidates)
    read = x.clone()
    read[chosen & (k < 0.9)] = r[chosen & (k < 0.9)]
    read.masked_fill_(chosen & (k < 0.8), MASK)
    return read, chosen


@right("loops", "position by position")
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    rows, marks = [], []
    for b in range(len(x)):
        row, mark = [], []
        for t in range(x.shape[1]):
            hit = bool(candidates[b, t]) and c[b, t].item() < share
            kind = int(k[b, t].item() * 10)
            word = x[b, t].item()
            if hit and kind < 8:
                word = MASK
            elif hit and kind == 8:
                word = r[b, t].item()
            row.append(word)
            mark.append(hit)
        rows.append(row)
        marks.append(mark)
    return torch.tensor(rows), torch.tensor(marks)


@right("plain", "the steps that the wrong answers below change", edited=True)
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    chosen = candidates & (c < share)
    read = torch.where(chosen & (k < 0.8), MASK, x)
    read = torch.where(chosen & (k >= 0.8) & (k < 0.9), r, read)
    return read, chosen


@wrong(
    "all-masked",
    "every chosen word becomes [MASK]",
    says="Every chosen word becomes [MASK]. If 0.8 ≤ k, it must not.",
    loses=["by-hand", "read", "shares"],
)
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    chosen = candidates & (c < share)
    return x.masked_fill(chosen, MASK), chosen


wrong(
    "fixed-share",
    "the share is always 0.15",
    says="Your share is a fixed 0.15. Use the argument.",
    edit=("c < share", "c < 0.15"),
)


@wrong("in-place", "writes into x", told="changes its input x", loses=["inputs"])
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    chosen = candidates & (c < share)
    random = chosen & (k >= 0.8) & (k < 0.9)
    x[random] = r[random]
    x[chosen & (k < 0.8)] = MASK
    return x, chosen


@wrong(
    "no-keeping",
    "what does not become [MASK] becomes a random word",
    says="No chosen word stays unchanged. If 0.9 ≤ k, it must.",
    loses=["by-hand", "read", "shares"],
)
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    chosen = candidates & (c < share)
    hidden = torch.where(k < 0.8, MASK, r)
    return torch.where(chosen, hidden, x), chosen


wrong(
    "only-changed",
    "counts only the words that look different as chosen",
    says="A chosen word that stays unchanged is still chosen: the model must predict it.",
    spares=["read", "inputs"],
    edit=("read, chosen", "read, read != x"),
)


@wrong(
    "own-draws", "draws its own numbers", told="draw nothing yourself", spares=["shares", "inputs"]
)
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    chosen = candidates & (torch.rand(x.shape) < share)
    kind = torch.rand(x.shape)
    read = torch.where(chosen & (kind < 0.8), MASK, x)
    read = torch.where(chosen & (kind >= 0.8) & (kind < 0.9), r, read)
    return read, chosen


@wrong("package", "calls the course's own", told="writes by hand")
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    from tfcourse.batching import mask_words

    return mask_words(x, candidates, mask=MASK, words=r.flatten(), share=share)


wrong(
    "special",
    "special tokens and padding are chosen, too",
    says="You choose special tokens or padding, too. Only candidates may be chosen.",
    spares=["shares", "inputs"],
    edit=("candidates & (c < share)", "c < share"),
)

broken("candidates & (c < share)", "candidates & (c <= share)")
broken("torch.where(chosen & (k < 0.8), MASK, x)", "torch.where(chosen & (k < 0.78), MASK, x)")
broken("(k >= 0.8) & (k < 0.9)", "(k >= 0.8) | (k < 0.9)")
broken("torch.where(replaced, r, read)", "torch.where(replaced, r.flip(1), read)")
broken("(k >= 0.8) & (k < 0.9)", "(k > 0.8) & (k <= 0.9)")
broken("return read, chosen", "return read, read == MASK")
