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


wrong(
    "above-share",
    says="You choose the wrong positions. Choose a position if its draw c is below the share.",
    edit=("c < share", "c >= share"),
)

wrong(
    "all-candidates",
    says="You choose all candidates. Choose only those whose draw c is below the share.",
    edit=("candidates & (c < share)", "candidates"),
)


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
    "at-share",
    says="You choose a position whose draw equals the share. It must be below: c < share.",
    loses=["edges"],
    edit=("c < share", "c <= share"),
)

wrong(
    "eight-tenths-random",
    says=(
        "[MASK] and random words are swapped: eight tenths of your chosen words become random. A "
        "chosen word becomes [MASK] if k < 0.8."
    ),
    loses=["by-hand", "read", "shares"],
    edit=[
        ("(k < 0.8), MASK, x)", "(k < 0.8), r, x)"),
        ("(k < 0.9), r, read)", "(k < 0.9), MASK, read)"),
    ],
)

wrong(
    "everywhere",
    says="You replace words wherever k says so, chosen or not. Replace only chosen ones.",
    spares=["chosen", "inputs"],
    edit=[
        ("chosen & (k < 0.8)", "k < 0.8"),
        ("chosen & (k >= 0.8)", "(k >= 0.8)"),
    ],
)

wrong(
    "fixed-share",
    "the share is always 0.15",
    says="Your share is a fixed 0.15. Use the argument.",
    edit=("c < share", "c < 0.15"),
)


@wrong("in-place", "writes into x", match="changes its input x", loses=["inputs"])
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    chosen = candidates & (c < share)
    random = chosen & (k >= 0.8) & (k < 0.9)
    x[random] = r[random]
    x[chosen & (k < 0.8)] = MASK
    return x, chosen


wrong(
    "limit-of-mask",
    says=(
        "A k of exactly 0.8 or 0.9 is on the wrong side of your limits: [MASK] if k < 0.8, a "
        "random word if 0.8 ≤ k < 0.9."
    ),
    loses=["read"],
    edit=[("(k < 0.8)", "(k <= 0.8)"), ("(k >= 0.8)", "(k > 0.8)")],
)

wrong(
    "limit-of-random",
    says=(
        "A k of exactly 0.8 or 0.9 is on the wrong side of your limits: [MASK] if k < 0.8, a "
        "random word if 0.8 ≤ k < 0.9."
    ),
    loses=["read"],
    edit=("(k < 0.9)", "(k <= 0.9)"),
)

wrong(
    "limits",
    says=(
        "A k of exactly 0.8 or 0.9 is on the wrong side of your limits: [MASK] if k < 0.8, a "
        "random word if 0.8 ≤ k < 0.9."
    ),
    loses=["read"],
    edit=[
        ("(k < 0.8)", "(k <= 0.8)"),
        ("(k >= 0.8) & (k < 0.9)", "(k > 0.8) & (k <= 0.9)"),
    ],
)


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
    "no-random",
    says="No chosen word becomes a random one. If 0.8 ≤ k < 0.9, it must.",
    loses=["by-hand", "read", "shares"],
    edit=("(k < 0.9), r, read)", "(k < 0.9), x, read)"),
)

wrong(
    "not-candidates",
    says=(
        "You choose only special tokens and padding. candidates is True where a token may be "
        "chosen."
    ),
    edit=("candidates &", "~candidates &"),
)

wrong(
    "not-chosen",
    says="You return the positions that are not chosen. Return those that are.",
    spares=["read", "inputs"],
    edit=("read, chosen", "read, ~chosen"),
)

wrong(
    "one-draw",
    says=(
        "You use one draw for both decisions. c says whether a word is chosen, k what becomes of "
        "it."
    ),
    loses=["by-hand", "read"],
    edit=(
        "    read = torch.where(chosen & (k < 0.8)",
        "    k = c / share\n    read = torch.where(chosen & (k < 0.8)",
    ),
)

wrong(
    "only-changed",
    "counts only the words that look different as chosen",
    says="A chosen word that stays unchanged is still chosen: the model must predict it.",
    spares=["read", "inputs"],
    edit=("read, chosen", "read, read != x"),
)

wrong(
    "only-masked",
    says=(
        "You return only the words that became [MASK] as chosen. The other chosen words must be "
        "predicted, too."
    ),
    spares=["read", "inputs"],
    edit=("read, chosen", "read, read == MASK"),
)


@wrong(
    "own-draws", "draws its own numbers", match="draw nothing yourself", spares=["shares", "inputs"]
)
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    chosen = candidates & (torch.rand(x.shape) < share)
    kind = torch.rand(x.shape)
    read = torch.where(chosen & (kind < 0.8), MASK, x)
    read = torch.where(chosen & (kind >= 0.8) & (kind < 0.9), r, read)
    return read, chosen


@wrong("package", "calls the course's own", match="writes by hand")
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

wrong(
    "swapped-tenths",
    says="Random words and unchanged words are swapped: random if 0.8 ≤ k < 0.9.",
    loses=["by-hand", "read"],
    edit=("(k >= 0.8) & (k < 0.9)", "(k >= 0.9)"),
)

wrong(
    "tenth-masked",
    says=(
        "Your code turns one tenth of the chosen words into [MASK] and leaves eight tenths as "
        "they are. Swap the two shares."
    ),
    loses=["by-hand", "read", "shares"],
    edit=[("k < 0.8", "k < 0.1"), ("(k >= 0.8) & (k < 0.9)", "(k >= 0.1) & (k < 0.2)")],
)

wrong(
    "unread",
    says="You return the original ids. Return those that the model reads.",
    loses=["by-hand", "read", "shares"],
    edit=("return read, chosen", "return x, chosen"),
)

broken("candidates & (c < share)", "candidates & (c <= share)")
broken("torch.where(chosen & (k < 0.8), MASK, x)", "torch.where(chosen & (k < 0.78), MASK, x)")
broken("(k >= 0.8) & (k < 0.9)", "(k >= 0.8) | (k < 0.9)")
broken("torch.where(replaced, r, read)", "torch.where(replaced, r.flip(1), read)")
broken("(k >= 0.8) & (k < 0.9)", "(k > 0.8) & (k <= 0.9)")
broken("return read, chosen", "return read, read == MASK")
