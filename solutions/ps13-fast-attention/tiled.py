@right(
    "merged", "tiles read from the right, whole masks cut into tiles, dictionaries of what is kept"
)
def tiled_attention(Q, K, V, rows, columns, pad):
    n = len(Q)
    place = torch.arange(n)
    mask = (place <= place[:, None]) & (place >= pad)
    outputs, logs, count = [], [], 0
    for q, may in zip(Q.split(rows), mask.split(rows)):
        kept = []
        tiles = zip(K.split(columns), V.split(columns), may.split(columns, 1))
        for k, v, seen in reversed(list(tiles)):
            if seen.any():
                count += 1
                s = torch.einsum("td,sd->ts", q, k) * q.shape[1] ** -0.5
                s = torch.where(seen, s, -math.inf)
                L = s.logsumexp(1)
                kept.append((s.softmax(1).nan_to_num(0.0) @ v, L))
        if not kept:
            outputs.append(torch.zeros(len(q), V.shape[1], dtype=V.dtype))
            logs.append(torch.full((len(q),), -math.inf, dtype=V.dtype))
            continue
        L = torch.stack([L for _, L in kept])
        shares = L.softmax(0).nan_to_num(0.0)
        outputs.append(sum(a[:, None] * o for a, (o, _) in zip(shares, kept)))
        logs.append(L.logsumexp(0))
    return torch.cat(outputs), torch.cat(logs), count


@right("slices", "where the tiles of a row begin and end, worked out before")
def tiled_attention(Q, K, V, rows, columns, pad):
    n = len(Q)
    O, L = torch.zeros_like(V), torch.full_like(V[:, 0], -math.inf)
    tiles, first = 0, pad // columns * columns
    for i in range(0, n, rows):
        end = min(i + rows, n)
        if end <= pad:
            continue
        m = torch.full((end - i,), -1e30, dtype=V.dtype)
        l, acc = torch.zeros_like(m), torch.zeros_like(V[i:end])
        for j in range(first, end, columns):
            stop = min(j + columns, n)
            tiles += 1
            s = Q[i:end] @ K[j:stop].mT / Q.shape[1] ** 0.5
            for t in range(i, end):
                s[t - i, max(t + 1 - j, 0) :] = -math.inf
            s[:, : max(pad - j, 0)] = -math.inf
            new = torch.maximum(m, s.amax(1))
            p, f = (s - new[:, None]).exp(), (m - new).exp()
            l, acc, m = f * l + p.sum(1), f[:, None] * acc + p @ V[j:stop], new
        some = l > 0
        O[i:end][some] = acc[some] / l[some][:, None]
        L[i:end][some] = m[some] + l[some].log()
    return O, L, tiles


wrong(
    "acc-uncorrected",
    "does not correct acc",
    says=(
        "acc is not corrected when a tile brings a larger score: multiply it by exp(m - "
        "m_new) before you add."
    ),
    spares=["skipped"],
    edit=("acc = factor * acc", "acc = acc"),
)

wrong(
    "l-uncorrected",
    "does not correct l",
    says=(
        "l is not corrected when a tile brings a larger score: multiply it by exp(m - "
        "m_new) before you add."
    ),
    spares=["skipped"],
    edit=("l = factor * l", "l = l"),
)

wrong(
    "uncorrected",
    says=(
        "Neither l nor acc is corrected when a tile brings a larger score: multiply both by "
        "exp(m - m_new)."
    ),
    spares=["skipped"],
    edit=[("l = factor * l", "l = l"), ("acc = factor * acc", "acc = acc")],
)

wrong(
    "undivided",
    says="The output is not divided by l.",
    spares=["skipped"],
    edit=("acc / torch.where(l > 0, l, 1.0)", "acc"),
)

wrong(
    "unscaled",
    "does not scale the scores",
    says="Your scores are not scaled: divide them by √d_k.",
    loses=["values", "ragged", "padding"],
    edit=(" / math.sqrt(d_k)", ""),
)

wrong(
    "by-d_k",
    says="Your scores are divided by d_k: divide by its square root, √d_k.",
    loses=["values", "ragged", "padding"],
    edit=(" / math.sqrt(d_k)", " / d_k"),
)

wrong(
    "later-keys",
    "hides the padding alone",
    says="Your mask does not hide later keys: query i sees keys up to i.",
    edit=("(c <= r) & (c >= pad)", "(c >= pad).expand(len(r), -1)"),
)

wrong(
    "one-ahead",
    says="Each query sees the next key as well: j ≤ i, no further.",
    edit=("c <= r", "c <= r + 1"),
)

wrong(
    "own-hidden",
    says="No query sees its own key: j ≤ i, the diagonal included.",
    edit=("c <= r", "c < r"),
)

wrong(
    "local-mask",
    "counts rows and columns from the corner of the tile",
    says=(
        "Your mask counts rows and columns from the corner of the tile. Count them from the "
        "corner of the whole matrix, where the tile's row r is query i + r and its column c is "
        "key j + c."
    ),
    edit=("(c <= r) & (c >= pad)", "(c - j <= r - i) & (c >= pad) & (j <= i)"),
)

wrong(
    "padding-seen",
    "does not hide the padding",
    says="Your queries attend to padding. The first pad keys are hidden from every query.",
    loses=["padding", "skipped"],
    edit=(" & (c >= pad)", ""),
)

wrong(
    "one-padding-seen",
    says="You hide one padding key too few: keys 0 to pad - 1 are padding.",
    loses=["padding", "skipped"],
    edit=("c >= pad", "c >= pad - 1"),
)

wrong(
    "one-too-many-hidden",
    says="You hide one key too many: keys 0 to pad - 1 are padding, and key pad is not.",
    edit=("c >= pad", "c > pad"),
)

wrong(
    "nan-on-padding",
    "divides by an l of 0",
    match="0/0 is NaN",
    loses=["padding"],
    edit=("torch.where(l > 0, l, 1.0)", "l"),
)

wrong(
    "finite",
    "hides scores behind -1e9, so that an empty row takes a mean",
    says=(
        "A query that may attend to nothing gets the mean of the values. Its output must "
        "be zeros: with hidden scores of -∞, no key gets weight."
    ),
    loses=["padding"],
    edit=[
        ("s.masked_fill(~seen, -math.inf)", "s.masked_fill(~seen, -1e9)"),
        (
            "            if not seen.any():\n                continue\n            tiles += 1\n",
            "            tiles += int(seen.any())\n",
        ),
    ],
)

wrong(
    "no-maximum",
    "does not subtract the largest score",
    match="exp of a score overflows|should be",
    loses=["large"],
    edit=("m_new = torch.maximum(m, s.amax(dim=1, keepdim=True))", "m_new = torch.zeros_like(m)"),
)

wrong(
    "no-logarithm",
    "adds l to m without its logarithm",
    says="Your L is m + l. The logarithm is missing: L = m + log(l).",
    spares=["skipped"],
    edit=("torch.log(l)", "l"),
)

wrong(
    "maximum-alone",
    says="Your L is m alone: L = m + log(l).",
    spares=["skipped"],
    edit=("(m + torch.log(l))[:, 0]", "m[:, 0]"),
)

wrong(
    "log-alone",
    "gives log l for L",
    says="Your L is log(l) alone: L = m + log(l).",
    spares=["skipped"],
    edit=("(m + torch.log(l))", "torch.log(l)"),
)

wrong(
    "last-tile",
    "leaves out the last, narrower tile",
    says=(
        "You leave out the last keys. n need not be a multiple of the tile, and then the "
        "last tile is narrower."
    ),
    loses=["values", "ragged", "padding", "skipped"],
    edit=("for j in range(0, n, columns):", "for j in range(0, n - columns + 1, columns):"),
)

wrong(
    "last-queries",
    says=(
        "You leave out the last tiles. n need not be a multiple of rows or of columns, and "
        "then they are narrower."
    ),
    loses=["ragged", "padding", "skipped"],
    edit=("for i in range(0, n, rows):", "for i in range(0, n - rows + 1, rows):"),
)

wrong(
    "whole-tiles",
    says=(
        "You leave out the last tiles. n need not be a multiple of rows or of columns, and "
        "then they are narrower."
    ),
    loses=["values", "ragged", "padding", "skipped"],
    edit=[
        ("for i in range(0, n, rows):", "for i in range(0, n - rows + 1, rows):"),
        ("for j in range(0, n, columns):", "for j in range(0, n - columns + 1, columns):"),
    ],
)

wrong(
    "all-tiles",
    "computes every tile",
    says="You count all tiles. Leave out a tile in which every score is hidden.",
    loses=["skipped"],
    edit=("            if not seen.any():\n                continue\n", ""),
)

wrong(
    "padding-counted",
    says="You count tiles that hold only padding. Leave them out, too.",
    loses=["skipped"],
    edit=("if not seen.any():", "if not (c <= r).any():"),
)

wrong(
    "diagonal-left-out",
    says=(
        "You compute only tiles in which no score is hidden. Tiles on the diagonal are needed, too."
    ),
    edit=("if not seen.any():", "if not seen.all():"),
)

wrong(
    "first-query",
    "skips a tile if its first query sees nothing of it",
    says=(
        "You leave out a tile whose first query sees nothing of it. Its last query may see some."
    ),
    loses=["ragged", "padding", "skipped"],
    edit=("if not seen.any():", "if not seen[0].any():"),
)

broken("c <= r", "c < r")
broken("c >= pad", "c > pad")
broken("tiles += 1", "tiles += len(r)")
broken("m = m_new", "m = s.amax(dim=1, keepdim=True)")
broken("min(j + columns, n)", "min(j + columns, n - 1)")
