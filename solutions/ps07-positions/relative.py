@right("loop", "score by score")
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    L = len(a) // 2
    rows = []
    for t in range(T):
        place = S - T + t
        bias = [(q[..., t, :] * a[max(-L, min(L, s - place)) + L]).sum(-1) for s in range(S)]
        rows.append(torch.stack(bias, dim=-1))
    return torch.stack(rows, dim=-2) / math.sqrt(K)


@right("row-by-row", "the products once, picked row by row")
def relative_bias(q, a, S):
    L, T = len(a) // 2, q.size(-2)
    met = torch.matmul(q, a.mT) * q.size(-1) ** -0.5
    out = []
    for t in range(T):
        offsets = torch.arange(S) - (S - T + t)
        out.append(met[..., t, :][..., (offsets + L).clamp(0, 2 * L)])
    return torch.stack(out, dim=-2)


@right("spread", "all vectors spread out, einsum")
def relative_bias(q, a, S):
    T, K = q.shape[-2], q.shape[-1]
    L = (a.shape[0] - 1) // 2
    i, j = torch.arange(S)[-T:], torch.arange(S)
    vectors = a[torch.clamp(j - i[:, None], min=-L, max=L) + L]
    return torch.einsum("...tk,tsk->...ts", q / K**0.5, vectors)


wrong(
    "axes-swapped",
    says="The axes of queries and keys are swapped: row i belongs to query i.",
    edit=("S))", "S)).mT"),
)

wrong(
    "by-d",
    "divides by d_k",
    says="Your bias is divided by d_k: divide by its square root, √d_k.",
    edit=("math.sqrt(K)", "K"),
)

wrong(
    "clamped-first",
    "clips to 0 and adds nothing",
    says=(
        "You clip the offsets to 0 ... 2L, so all offsets below 0 get row 0. Clip to -L ... L "
        "first, then add L."
    ),
    edit=(
        "row = (torch.arange(S) - i).clamp(-L, L) + L",
        "row = (torch.arange(S) - i).clamp(0, 2 * L)",
    ),
)

wrong(
    "come-round",
    "offsets come round",
    says=(
        "Your offsets wrap around instead of being clipped. Beyond L on either side, use "
        "the outermost row."
    ),
    spares=["values", "inputs"],
    edit=(
        "row = (torch.arange(S) - i).clamp(-L, L) + L",
        "row = (torch.arange(S) - i + L) % len(a)",
    ),
)

wrong(
    "detached",
    "the table is cut off",
    match="no gradient reaches a",
    loses=["gradients"],
    edit=("q @ a.T", "q @ a.data.T"),
)

wrong(
    "direction-lost",
    "distances instead of offsets",
    says="Your bias ignores direction. Offsets before and after the query have their own rows.",
    edit=(
        "row = (torch.arange(S) - i).clamp(-L, L)",
        "row = (torch.arange(S) - i).abs().clamp(max=L)",
    ),
)


@wrong(
    "dropped",
    "nothing beyond L",
    says="Your code gives no bias to keys further away than L. They share the outermost row.",
    spares=["values", "inputs"],
)
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    L = len(a) // 2
    i = torch.arange(S - T, S)[:, None]
    offset = torch.arange(S) - i
    row = offset.clamp(-L, L) + L
    met = q @ a.T / math.sqrt(K)
    bias = met.gather(-1, row.expand(*q.shape[:-1], S))
    return torch.where(offset.abs() <= L, bias, 0.0)


@wrong(
    "hidden",
    "keys beyond L hidden",
    says="Your code hides keys further away than L. They share the outermost row.",
    spares=["values", "inputs"],
)
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    L = len(a) // 2
    i = torch.arange(S - T, S)[:, None]
    offset = torch.arange(S) - i
    row = offset.clamp(-L, L) + L
    met = q @ a.T / math.sqrt(K)
    bias = met.gather(-1, row.expand(*q.shape[:-1], S))
    return bias.masked_fill(offset.abs() > L, -math.inf)


wrong(
    "in-place",
    "scales the queries where they are",
    match="changes its input q",
    loses=["inputs"],
    edit=("met = q @ a.T / math.sqrt(K)", "q /= math.sqrt(K)\n    met = q @ a.T"),
)


wrong(
    "later-hidden",
    says=(
        "Your code hides keys after the query. Offsets above 0 have their own rows. Hiding "
        "later keys is the mask's job."
    ),
    edit=(
        "return met.gather(-1, row.expand(*q.shape[:-1], S))",
        "bias = met.gather(-1, row.expand(*q.shape[:-1], S))\n"
        "    return bias.masked_fill(torch.arange(S) > i, -math.inf)",
    ),
)

wrong(
    "later-nothing",
    says=(
        "Your code gives keys after the query no bias. Offsets above 0 have their own rows. "
        "Hiding later keys is the mask's job."
    ),
    edit=(
        "return met.gather(-1, row.expand(*q.shape[:-1], S))",
        "bias = met.gather(-1, row.expand(*q.shape[:-1], S))\n"
        "    return bias.masked_fill(torch.arange(S) > i, 0.0)",
    ),
)


@wrong(
    "no-clipping",
    "no clipping, so rows are missing",
    says=(
        "Your offsets wrap around instead of being clipped. Beyond L on either side, use "
        "the outermost row."
    ),
    match="index 3 is out of bounds",
    spares=["values", "inputs"],
)
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    i = torch.arange(S - T, S)[:, None]
    row = torch.arange(S) - i + len(a) // 2
    return torch.einsum("...tk,tsk->...ts", q, a[row]) / math.sqrt(K)


@wrong(
    "no-query",
    "adds the vectors up without the query",
    says=(
        "Your bias does not depend on the query. It is the dot product of q_i with the "
        "offset's vector."
    ),
)
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    L = len(a) // 2
    i = torch.arange(S - T, S)[:, None]
    row = (torch.arange(S) - i).clamp(-L, L) + L
    return (a[row].sum(-1) / math.sqrt(K)).expand(*q.shape[:-1], S)


@wrong(
    "no-shift",
    "negative rows count from the end",
    says=(
        "You use offsets as row numbers without adding L, and PyTorch counts negative ones "
        "from the end. Offset -L is row 0: add L."
    ),
)
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    L = len(a) // 2
    i = torch.arange(S - T, S)[:, None]
    row = (torch.arange(S) - i).clamp(-L, L)
    return torch.einsum("...tk,tsk->...ts", q, a[row]) / math.sqrt(K)


wrong(
    "queries-first",
    "the queries are the first T",
    says=(
        "Your first query is at position 0. If there are fewer queries than keys, the "
        "queries are the last T of S positions: query t is at S - T + t."
    ),
    loses=["last", "gradients"],
    edit=("S - T, S", "T"),
)


@wrong("ready-made", "calls the course's own", match="writes by hand")
def relative_bias(q, a, S):
    from tfcourse.positions import RelativePositions

    scheme = RelativePositions(q.shape[-1], len(a) // 2)
    scheme.a = nn.Parameter(a)
    return scheme.bias(q, S)


wrong(
    "turned",
    "i - j",
    says=(
        "Your offsets are i - j. They must be j - i: row L + 1 is for the key right after the "
        "query."
    ),
    edit=("torch.arange(S) - i", "i - torch.arange(S)"),
)


@wrong("two-axes", "a queries' axis too many in the product", match="too many values to unpack")
def relative_bias(q, a, S):
    T, K = q.shape
    L = len(a) // 2
    i = torch.arange(S - T, S)[:, None]
    row = (torch.arange(S) - i).clamp(-L, L) + L
    return (q @ a.T / math.sqrt(K)).gather(1, row)


wrong(
    "unscaled",
    "forgets the root",
    says="Your bias is not scaled: divide it by √d_k, like the scores.",
    edit=("a.T / math.sqrt(K)", "a.T"),
)

broken("L = len(a) // 2", "L = len(a)")
broken(".clamp(-L, L) + L", ".clamp(-L, L).abs()")
broken("torch.arange(S) - i", "torch.arange(S) - i - 1")
broken("math.sqrt(K)", "math.sqrt(T)")
