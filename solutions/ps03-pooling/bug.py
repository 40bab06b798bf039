@right("logarithms", "subtracts the logarithm of each sentence's sum")
def mended_pool(h, owner, u, B):
    r = (h * u).sum(1)
    mine = torch.nn.functional.one_hot(owner, B).bool()
    table = r[:, None].masked_fill(~mine, -1e30)
    a = torch.exp(r - table.logsumexp(0)[owner])
    return torch.zeros(B, h.shape[1], dtype=h.dtype).index_add(0, owner, a[:, None] * h), a


@right("loop", "one sentence after the other")
def mended_pool(h, owner, u, B):
    r = h @ u
    a = torch.zeros_like(r)
    vectors = h.new_zeros(B, h.shape[1])
    for i in range(B):
        mine = (owner == i).nonzero()[:, 0]
        if len(mine):
            weights = r[mine].softmax(0)
            a = a.index_copy(0, mine, weights)
            vectors = vectors.index_copy(0, torch.tensor([i]), (weights @ h[mine])[None])
    return vectors, a


@right("matrix", "a row of scores for each sentence")
def mended_pool(h, owner, u, B):
    mine = owner == torch.arange(B)[:, None]
    r = torch.where(mine, h @ u, torch.finfo(h.dtype).min)
    a = r.softmax(-1) * mine
    return a @ h, a.sum(0)


@wrong(
    "clamped",
    "differences are cut off",
    says=(
        "All exponentials of a sentence come out equal, so its weights are uniform and the "
        "differences between its scores are lost. Do not cut scores off: which largest score do "
        "you have to subtract?"
    ),
    loses=["far", "company", "gradients"],
)
def mended_pool(h, owner, u, B):
    r = h @ u
    e = torch.exp((r - r.max()).clamp(min=-80))
    total = e.new_zeros(B).index_add(0, owner, e)
    a = e / total[owner]
    return h.new_zeros(B, h.shape[1]).index_add(0, owner, a[:, None] * h), a


@wrong(
    "detached", "gradients stop at the weights", match="no gradient reaches u", loses=["gradients"]
)
def mended_pool(h, owner, u, B):
    mine = owner == torch.arange(B)[:, None]
    with torch.no_grad():
        a = torch.where(mine, h @ u, -1e30).softmax(-1) * mine
    return a @ h, a.sum(0)


@wrong(
    "double",
    "computes in 64 bits, which only moves the limit",
    match="0/0 is NaN",
    loses=["far", "company"],
)
def mended_pool(h, owner, u, B):
    r = (h @ u).double()
    e = torch.exp(r - r.max())
    total = e.new_zeros(B).index_add(0, owner, e)
    a = (e / total[owner]).to(h.dtype)
    return h.new_zeros(B, h.shape[1]).index_add(0, owner, a[:, None] * h), a


@wrong(
    "empty-nan",
    "a table of sentences in which an empty one is 0/0",
    match="row is zeros",
    loses=["empty"],
)
def mended_pool(h, owner, u, B):
    mine = owner == torch.arange(B)[:, None]
    a = torch.where(mine, h @ u, -math.inf).softmax(-1)
    return a @ h, a[owner, torch.arange(len(h))]


@wrong(
    "largest-from-zero",
    "the largest score of a sentence is taken to be at least 0",
    match="0/0",
    loses=["far"],
)
def mended_pool(h, owner, u, B):
    r = h @ u
    most = r.new_zeros(B).scatter_reduce(0, owner, r.detach(), "amax")
    e = torch.exp(r - most[owner])
    total = e.new_zeros(B).index_add(0, owner, e)
    a = e / total[owner]
    return h.new_zeros(B, h.shape[1]).index_add(0, owner, a[:, None] * h), a


@wrong(
    "mean-taken-away",
    "the mean of the scores instead of the largest",
    match="infinite|0/0",
    spares=["empty", "same"],
)
def mended_pool(h, owner, u, B):
    r = h @ u
    e = torch.exp(r - r.mean())
    total = e.new_zeros(B).index_add(0, owner, e)
    a = e / total[owner]
    return h.new_zeros(B, h.shape[1]).index_add(0, owner, a[:, None] * h), a


@wrong(
    "nan-to-num",
    "NaN is overwritten",
    says=(
        "If all exponentials of a sentence are 0, your weights are 0, too. That hides 0/0 and "
        "leaves the sentence without a vector: its weights must sum to 1, whatever the scores "
        "of the other sentences."
    ),
    loses=["far", "company", "gradients"],
)
def mended_pool(h, owner, u, B):
    r = h @ u
    e = torch.exp(r - r.max())
    total = e.new_zeros(B).index_add(0, owner, e)
    a = torch.nan_to_num(e / total[owner])
    return h.new_zeros(B, h.shape[1]).index_add(0, owner, a[:, None] * h), a


@wrong(
    "no-empty",
    says="Only sentences with words get a row. Return B rows: that of an empty sentence is zeros.",
    loses=["empty"],
)
def mended_pool(h, owner, u, B):
    vectors, a = [], torch.zeros_like(h @ u)
    for i in owner.unique():
        mine = (owner == i).nonzero()[:, 0]
        weights = (h[mine] @ u).softmax(0)
        a = a.index_copy(0, mine, weights)
        vectors.append(weights @ h[mine])
    return torch.stack(vectors), a


@wrong(
    "nothing-taken-away",
    "the line is deleted",
    match=r"exp\(1000\) is infinite",
    loses=["far", "large", "gradients"],
)
def mended_pool(h, owner, u, B):
    e = torch.exp(h @ u)
    total = e.new_zeros(B).index_add(0, owner, e)
    a = e / total[owner]
    return h.new_zeros(B, h.shape[1]).index_add(0, owner, a[:, None] * h), a


@wrong(
    "over-all",
    "one softmax over all words",
    says=(
        "Your softmax runs over the words of all sentences together. The weights of each "
        "sentence must sum to 1."
    ),
)
def mended_pool(h, owner, u, B):
    a = (h @ u).softmax(0)
    return h.new_zeros(B, h.shape[1]).index_add(0, owner, a[:, None] * h), a


@wrong(
    "own-mean-taken-away",
    "the mean of each sentence, which a score may exceed by far",
    match="infinite",
    loses=["large"],
)
def mended_pool(h, owner, u, B):
    r = h @ u
    many = torch.bincount(owner, minlength=B).clamp(min=1)
    mean = r.new_zeros(B).index_add(0, owner, r) / many
    e = torch.exp(r - mean[owner])
    total = e.new_zeros(B).index_add(0, owner, e)
    a = e / total[owner]
    return h.new_zeros(B, h.shape[1]).index_add(0, owner, a[:, None] * h), a


@wrong(
    "small-number",
    "a small number under the fraction",
    says=(
        "If all exponentials of a sentence are 0, your weights are 0, too. That hides 0/0 and "
        "leaves the sentence without a vector: its weights must sum to 1, whatever the scores "
        "of the other sentences."
    ),
    loses=["far", "company", "gradients"],
)
def mended_pool(h, owner, u, B):
    r = h @ u
    e = torch.exp(r - r.max())
    total = e.new_zeros(B).index_add(0, owner, e)
    a = e / (total[owner] + 1e-12)
    return h.new_zeros(B, h.shape[1]).index_add(0, owner, a[:, None] * h), a


@wrong(
    "sorted",
    says=(
        "Your code assumes that the words of a sentence are adjacent. They may come in any order: "
        "owner says which sentence a word belongs to."
    ),
    spares=["far", "large"],
)
def mended_pool(h, owner, u, B):
    sizes = torch.bincount(owner, minlength=B).tolist()
    parts = list(zip((h @ u).split(sizes), h.split(sizes), strict=True))
    vectors = [r.softmax(0) @ x for r, x in parts]
    return torch.stack(vectors), torch.cat([r.softmax(0) for r, _ in parts])


@wrong(
    "unchanged",
    "the published code as it was",
    says=(
        "Nothing has changed: you still subtract the largest score of all sentences "
        "together, so the weights of a sentence depend on the others."
    ),
    loses=["far", "company", "gradients"],
)
def mended_pool(h, owner, u, B):
    r = h @ u
    e = torch.exp(r - r.max())
    total = e.new_zeros(B).index_add(0, owner, e)
    a = e / total[owner]
    return h.new_zeros(B, h.shape[1]).index_add(0, owner, a[:, None] * h), a


broken('r.detach(), "amax"', 'r.detach(), "amin"')
broken("most[owner]", "most[owner[0]]")
broken("a = e / total[owner]", "a = e / total.sum()")
