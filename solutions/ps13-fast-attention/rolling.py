@right("one-by-one", "a token at a time")
def write_rolling(cache, new, n):
    rows = list(cache)
    for i, row in enumerate(new):
        rows[(n + i) % len(rows)] = row
    return torch.stack(rows)


def attend_rolling(Q, K, V, K_held, V_held, n):
    outputs = []
    for i in range(len(Q)):
        K_held = write_rolling(K_held, K[i : i + 1], n + i)
        V_held = write_rolling(V_held, V[i : i + 1], n + i)
        filled = min(n + i + 1, len(K_held))
        scores = K_held[:filled] @ Q[i] / math.sqrt(Q.shape[1])
        outputs.append(scores.softmax(0) @ V_held[:filled])
    return torch.stack(outputs)


@right("in-order", "the cache turned until it is in order, a window cut out of a whole text")
def write_rolling(cache, new, n):
    w, t = cache.shape[0], new.shape[0]
    ordered = torch.cat([torch.roll(cache, -n % w, 0), new])[-w:]
    return torch.roll(ordered, (n + t) % w, 0)


def attend_rolling(Q, K, V, K_held, V_held, n):
    w, t = len(K_held), len(Q)
    if n < w:
        old = K_held[:n], V_held[:n]
    else:
        old = (torch.roll(x, -(n % w), 0) for x in (K_held, V_held))
    K, V = (torch.cat(pair) for pair in zip(old, (K, V)))
    scores = torch.einsum("td,sd->ts", Q, K) * Q.shape[1] ** -0.5
    band = torch.ones(t, len(K), dtype=torch.bool)
    band = band.tril(len(K) - t).triu(len(K) - t - w + 1)
    return torch.where(band, scores, -1e30).softmax(1) @ V


wrong(
    "from-row-0",
    "writes from row 0 on",
    says=(
        "Your rows start at 0. Token number i goes to row i mod w, and the first new token "
        "has the number n."
    ),
    loses=["by-hand", "write", "prompt"],
    edit=("torch.arange(end - len(new), end) % w", "torch.arange(len(new)) % w"),
)

wrong(
    "from-row-0-one-by-one",
    "writes from row 0 on, in a loop",
    says=(
        "Your rows start at 0. Token number i goes to row i mod w, and the first new token "
        "has the number n."
    ),
    loses=["by-hand", "write", "prompt"],
    edit=[
        ("    new = new[-w:]\n", ""),
        (
            "    cache[torch.arange(end - len(new), end) % w] = new\n",
            "    for i, row in enumerate(new):\n        cache[i % w] = row\n",
        ),
    ],
)

wrong(
    "one-late",
    "counts tokens from 1",
    says=(
        "You write one row too late: the new tokens have the numbers n, n + 1, ..., counted from 0."
    ),
    loses=["by-hand", "write", "prompt"],
    edit=("torch.arange(end - len(new), end) % w", "torch.arange(end - len(new) + 1, end + 1) % w"),
)

wrong(
    "one-early",
    says=(
        "You write one row too early: the new tokens have the numbers n, n + 1, ..., "
        "counted from 0."
    ),
    loses=["by-hand", "write", "prompt"],
    edit=("torch.arange(end - len(new), end) % w", "torch.arange(end - len(new) - 1, end - 1) % w"),
)

wrong(
    "moved",
    "moves the old tokens and appends the new ones",
    says=(
        "You moved the old tokens and put the new ones after them. In a rolling cache, the "
        "tokens that stay do not move."
    ),
    loses=["by-hand", "write", "prompt"],
    edit=(
        "    cache[torch.arange(end - len(new), end) % w] = new\n    return cache",
        "    return torch.cat([cache, new])[-w:]",
    ),
)

wrong(
    "only-first",
    says="You write only the first of the new tokens. Write them all.",
    loses=["write", "prompt"],
    edit=[
        ("    new = new[-w:]\n", ""),
        ("cache[torch.arange(end - len(new), end) % w] = new", "cache[n % w] = new[0]"),
    ],
)

wrong(
    "only-last",
    says="You write only the last of the new tokens. Write them all.",
    loses=["write", "prompt"],
    edit=("cache[torch.arange(end - len(new), end) % w] = new", "cache[(end - 1) % w] = new[-1]"),
)

wrong(
    "unwritten",
    says="Nothing was written: your cache is as it was given.",
    loses=["by-hand", "write", "prompt"],
    edit=("cache = cache.clone()\n    cache[", "cache.clone()["),
)

wrong(
    "first-kept",
    "keeps the first of a long prompt",
    says="If there are more new tokens than fit, you keep the first. Keep the last w.",
    loses=["prompt"],
    edit=[
        ("w, end = len(cache), n + len(new)", "w, end = len(cache), n + min(len(new), len(cache))"),
        ("new[-w:]", "new[:w]"),
    ],
)

wrong(
    "start-of-prompt",
    "keeps the last rows, and writes them from where the prompt began",
    says=(
        "You keep the last w tokens, but write them from row n mod w on. Start at the row "
        "of the first token that you keep: the tokens before it count, too."
    ),
    loses=["prompt"],
    edit=("torch.arange(end - len(new), end) % w", "torch.arange(n, n + len(new)) % w"),
)

wrong(
    "stops-at-end",
    "does not continue at row 0",
    says="The cache does not roll: after its last row, continue at row 0.",
    loses=["by-hand", "write", "prompt"],
    edit=(
        "torch.arange(end - len(new), end) % w",
        "torch.arange(end - len(new), end).clamp(max=w - 1)",
    ),
)

wrong(
    "in-place",
    "writes into the caller's cache",
    match="changes its input cache",
    loses=["write"],
    edit=("cache = cache.clone()", "cache = cache"),
)

wrong(
    "wide",
    "sees one token too many",
    says="The window is one token too wide. It has w tokens, including the token itself.",
    loses=["one", "many"],
    edit=("key > query - w", "key >= query - w"),
)

wrong(
    "narrow",
    says="The window is one token too narrow. It has w tokens, including the token itself.",
    loses=["one", "many"],
    edit=("key > query - w", "key > query - w + 1"),
)

wrong(
    "still",
    "does not move the window with the tokens",
    says=(
        "The window does not move: every new token sees the whole cache. Token i must see "
        "tokens i - w + 1 to i."
    ),
    loses=["one", "many"],
    edit=(" & (key > query - w)", ""),
)

wrong(
    "as-they-lie",
    "takes the order of the rows for the order of the tokens",
    says=(
        "You take the order of the rows for the order of the tokens. Row r holds the last "
        "token whose number is r mod w: work out which one."
    ),
    loses=["one", "many"],
    edit=[("K_held[old % w]", "K_held[: len(old)]"), ("V_held[old % w]", "V_held[: len(old)]")],
)

wrong(
    "looks-ahead",
    "lets new tokens see later ones",
    says="Your new tokens see later ones. Each may see only itself and tokens before it.",
    loses=["many"],
    edit=("(key <= query) & ", ""),
)

wrong(
    "own-unseen",
    says="A new token does not see itself: its own key belongs to the window.",
    loses=["one", "many"],
    edit=("key <= query", "key < query"),
)

wrong(
    "cache-alone",
    says="The new tokens see only what the cache held: their own keys and values are not used.",
    loses=["one", "many"],
    edit=[
        ("key = torch.cat([old, query[:, 0]])", "key = old"),
        ("torch.cat([K_held[old % w], K])", "K_held[old % w]"),
        ("torch.cat([V_held[old % w], V])", "V_held[old % w]"),
    ],
)

wrong(
    "cache-unused",
    says="The new tokens see only each other: what the cache holds is not used.",
    loses=["one", "many"],
    edit=("torch.arange(max(0, n - w), n)", "torch.arange(n, n)"),
)

wrong(
    "unscaled",
    says="Your scores are not scaled: divide them by √d_k.",
    loses=["one", "many"],
    edit=(" / math.sqrt(Q.shape[1])", ""),
)

wrong(
    "never-written",
    "reads rows that were never written",
    match="row that was never written",
    loses=["one", "many"],
    edit=("torch.arange(max(0, n - w), n)", "torch.arange(n - w, n)"),
)


@wrong(
    "written-first",
    "writes all new tokens before any looks",
    says=(
        "You write all new tokens before any of them attends. The last ones have then "
        "overwritten keys that the first ones still need."
    ),
    loses=["many"],
)
def write_rolling(cache, new, n):
    w, end = len(cache), n + len(new)
    new = new[-w:]
    cache = cache.clone()
    cache[torch.arange(end - len(new), end) % w] = new
    return cache


def attend_rolling(Q, K, V, K_held, V_held, n):
    filled = min(n + len(Q), len(K_held))
    K_held = write_rolling(K_held, K, n)[:filled]
    V_held = write_rolling(V_held, V, n)[:filled]
    scores = Q @ K_held.T / math.sqrt(Q.shape[1])
    return scores.softmax(dim=1) @ V_held


broken("new[-w:]", "new[-w + 1 :]")
broken(
    "cache[torch.arange(end - len(new), end) % w]",
    "cache[torch.arange(end - len(new), end) % (w - 1)]",
)
broken("math.sqrt(Q.shape[1])", "math.sqrt(V.shape[1] + 1)")
broken("V_held[old % w], V", "V_held[old % w].flip(0), V")
