@right("loop", "a text and a head at a time, the filled rows cut out")
def grouped_step(q, K, V, seen):
    B, H, d_k = q.shape
    each = H // K.shape[1]
    output = q.new_zeros(B, H, V.shape[-1])
    for b in range(B):
        n = int(seen[b])
        for h in range(H) if n else ():
            k, v = K[b, h // each, :n], V[b, h // each, :n]
            weights = torch.softmax(k @ q[b, h] / d_k**0.5, dim=0)
            output[b, h] = weights @ v
    return output


@right("repeated", "keys and values copied for each head, powers divided by their sum")
def grouped_step(q, K, V, seen):
    B, H, d_k = q.shape
    there = (torch.arange(K.shape[2])[None] < seen[:, None])[:, None, :, None]
    group = torch.arange(H) * K.shape[1] // H
    K = torch.where(there, K, 0.0)[:, group]
    V = torch.where(there, V, 0.0)[:, group]
    s = torch.einsum("bhd,bhsd->bhs", q, K) * d_k**-0.5
    p = torch.exp(s - s.amax(-1, keepdim=True)) * there[..., 0]
    total = p.sum(-1, keepdim=True).clamp(min=1e-30)
    return torch.einsum("bhs,bhsv->bhv", p / total, V)


wrong(
    "modulo",
    "gives head h the group h mod G",
    says="Head h uses group h mod G. Neighbouring heads share a group: h // (H / G).",
    loses=["by-hand", "groups", "lengths", "empty"],
    edit=[
        ("q = q.reshape(B, G, H // G, d_k)", "q = q.reshape(B, H // G, G, d_k).transpose(1, 2)"),
        ("output.reshape(B, H, -1)", "output.transpose(1, 2).reshape(B, H, -1)"),
    ],
)

wrong(
    "first-group",
    "uses the first group for all heads",
    says="All heads use the first group. Each group serves H / G heads.",
    loses=["by-hand", "groups", "lengths", "empty"],
    edit=("G, room = K.shape[1:3]", "K, V, G, room = K[:, :1], V[:, :1], 1, K.shape[2]"),
)

wrong(
    "heads-mixed",
    "reads queries by group and hands outputs back in the wrong order",
    says="Heads and groups are swapped in your output: head h must be at index h.",
    loses=["by-hand", "groups", "lengths", "empty"],
    edit=("output.reshape(B, H, -1)", "output.transpose(1, 2).reshape(B, H, -1)"),
)

wrong(
    "groups-apart",
    says=(
        "Your output has separate axes for the groups and the heads of each group. Merge "
        "both into one: (B, H, Dv)."
    ),
    edit=("output.reshape(B, H, -1)", "output"),
)

wrong(
    "unmasked",
    "lets rows that were never written take part",
    says="Rows that were never written get weight. Only the first seen[b] rows count.",
    loses=["lengths", "empty"],
    edit=(
        "there = torch.arange(room) < seen[:, None]",
        "there = torch.arange(room) < 0 * seen[:, None] + room",
    ),
)

wrong(
    "zero-times-nan",
    "masks the scores, and multiplies NaN by 0",
    says=(
        "A text with an empty cache gets the mean of rows that were never written. Its "
        "output must be zeros."
    ),
    loses=["lengths", "empty"],
    edit=("V = V.masked_fill(~there[:, None, :, None], 0.0)", "V = V"),
)

wrong(
    "nan-on-empty",
    "fills with -inf, so that an empty text gives NaN",
    match="softmax is NaN, too",
    loses=["empty"],
    edit=("torch.finfo(scores.dtype).min", "-math.inf"),
)

wrong(
    "scores-of-0",
    "replaces the rows by zeros, and leaves their scores in the softmax",
    says=(
        "You put zeros into rows that were never written, but they still get weight: their "
        "score is 0, and exp(0) = 1. Hide their scores, too."
    ),
    loses=["lengths", "empty"],
    edit=(
        "scores = scores.masked_fill(~there[:, None, None], lowest)",
        "scores = scores + 0 * lowest",
    ),
)

wrong(
    "longest",
    "cuts every text at the longest",
    says=(
        "Your code uses the longest length of the batch for every text. Each text has its "
        "own length."
    ),
    loses=["lengths", "empty"],
    edit=(
        "torch.arange(room) < seen[:, None]",
        "torch.arange(room) < seen.max().expand(B)[:, None]",
    ),
)

wrong(
    "shortest",
    says=(
        "Your code uses the shortest length of the batch for every text. Each text has its "
        "own length."
    ),
    loses=["lengths", "empty"],
    edit=(
        "torch.arange(room) < seen[:, None]",
        "torch.arange(room) < seen.min().expand(B)[:, None]",
    ),
)

wrong(
    "unscaled",
    "does not scale the scores",
    says="Your scores are not scaled: divide them by √d_k.",
    loses=["by-hand", "groups", "lengths", "empty"],
    edit=(" / math.sqrt(d_k)", ""),
)

wrong(
    "by-d_k",
    says="Your scores are divided by d_k: divide by its square root, √d_k.",
    loses=["by-hand", "groups", "lengths", "empty"],
    edit=(" / math.sqrt(d_k)", " / d_k"),
)

wrong(
    "one-too-few",
    "leaves out the newest row",
    says="You leave out the last row that was written. Rows 0 to seen[b] - 1 count.",
    loses=["by-hand", "groups", "lengths", "empty"],
    edit=("< seen[:, None]", "< seen[:, None] - 1"),
)

wrong(
    "one-too-many",
    says="You count one row too many: rows 0 to seen[b] - 1 were written.",
    loses=["lengths", "empty"],
    edit=("< seen[:, None]", "<= seen[:, None]"),
)

broken("< seen[:, None]", "<= seen[:, None]")
broken(
    "K.masked_fill(~there[:, None, :, None], 0.0)",
    "K.masked_fill(~there[:, None, :, None], 0.0).flip(1)",
)
broken("q.reshape(B, G, H // G, d_k)", "q.reshape(B, H // G, G, d_k).transpose(1, 2)")
broken("scores.softmax(dim=-1) @ V", "scores.softmax(dim=2) @ V")
