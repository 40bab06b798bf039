@right("filled-rows", "fills a tensor row by row, a matrix and a vector at a time")
def attention_loop(Q, K, V):
    out = V.new_zeros(Q.shape[0], V.shape[1])
    for i, q in enumerate(Q):
        out[i] = torch.softmax(K @ q, 0) @ V
    return out


@right("three-loops", "three nested loops over numbers, softmax written out")
def attention_loop(Q, K, V):
    T, S = len(Q), len(K)
    rows = []
    for i in range(T):
        scores = []
        for j in range(S):
            total = 0
            for c in range(Q.shape[1]):
                total = total + Q[i, c] * K[j, c]
            scores.append(total)
        largest = max(float(s) for s in scores)
        exps = [torch.exp(s - largest) for s in scores]
        weights = [e / sum(exps) for e in exps]
        output = torch.zeros_like(V[0])
        for j in range(S):
            output = output + weights[j] * V[j]
        rows.append(output)
    return torch.stack(rows)


@right("plain", "the steps that the wrong answers below change", edited=True)
def attention_loop(Q, K, V):
    outputs = []
    for q in Q:
        weights = torch.softmax(K @ q, dim=0)
        outputs.append(sum(w * v for w, v in zip(weights, V)))
    return torch.stack(outputs)


@wrong(
    "cut-off",
    "the numbers pass through Python floats",
    match="cut off from the inputs",
    loses=["gradients"],
)
def attention_loop(Q, K, V):
    outputs = []
    for q in Q:
        scores = torch.tensor([q.dot(k).item() for k in K], dtype=V.dtype)
        weights = scores.softmax(0).tolist()
        outputs.append(sum(w * v.detach() for w, v in zip(weights, V)))
    return torch.stack(outputs)


@wrong(
    "float32",
    "the result is made in 32 bits whatever comes in",
    match="float32, it must be float64",
    loses=["precision"],
)
def attention_loop(Q, K, V):
    out = torch.zeros(len(Q), V.shape[1])
    for i, q in enumerate(Q):
        weights = torch.softmax(K @ q, dim=0)
        out[i] = sum(w * v for w, v in zip(weights, V))
    return out


@wrong(
    "last-key",
    "the loop over the keys ends one too early",
    says="The last key is left out: the loop over the keys ends one too early.",
)
def attention_loop(Q, K, V):
    outputs = []
    for q in Q:
        scores = [q.dot(K[j]) for j in range(max(len(K) - 1, 1))]
        weights = torch.stack(scores).softmax(0)
        outputs.append(sum(w * v for w, v in zip(weights, V)))
    return torch.stack(outputs)


wrong(
    "list",
    "returns a list of rows",
    match="expected a tensor, got a list of",
    edit=("torch.stack(outputs)", "outputs"),
)


@wrong(
    "matrix-product",
    "three matrix products where a loop is asked for",
    match="the loop that such a product hides",
    spares=["large"],
)
def attention_loop(Q, K, V):
    return torch.softmax(Q @ K.T, dim=-1) @ V


wrong(
    "mean",
    "the weights are computed and never used",
    says="The weights are not applied to the values: your output is the plain mean of V.",
    edit=(
        "sum(w * v for w, v in zip(weights, V))",
        "sum(v for v in V) / len(weights) + 0 * weights.sum()",
    ),
)

wrong(
    "no-normalising",
    "exp without dividing by the sum",
    says="Your weights are exp(score), not divided by their sum over the keys.",
    edit=("torch.softmax(K @ q, dim=0)", "[torch.exp(q.dot(k)) for k in K]"),
)

wrong(
    "no-softmax",
    says="The softmax is missing: the scores themselves multiply the values.",
    edit=("torch.softmax(K @ q, dim=0)", "K @ q"),
)

wrong(
    "not-applied",
    says="Your output is the weights themselves. Apply them to the values: A' V.",
    edit=("sum(w * v for w, v in zip(weights, V))", "weights"),
)


wrong(
    "no-return",
    "forgets to return",
    match="is there a `return`",
    edit=("return torch.stack", "torch.stack"),
)


@wrong(
    "over-queries",
    "the softmax runs over the queries",
    says=(
        "Your weights sum to 1 over the queries, not over the keys: which dimension does "
        "your softmax run over?"
    ),
)
def attention_loop(Q, K, V):
    columns = []
    for k in K:
        columns.append(torch.stack([q.dot(k) for q in Q]).softmax(0))
    weights = torch.stack(columns, dim=1)
    outputs = []
    for row in weights:
        outputs.append(sum(w * v for w, v in zip(row, V)))
    return torch.stack(outputs)


@wrong(
    "overflow",
    "exp of the scores as they are",
    match="take the largest score away",
    loses=["large"],
)
def attention_loop(Q, K, V):
    outputs = []
    for q in Q:
        exps = torch.stack([torch.exp(q.dot(k)) for k in K])
        weights = exps / exps.sum()
        outputs.append(sum(w * v for w, v in zip(weights, V)))
    return torch.stack(outputs)


wrong(
    "scaled",
    says=(
        "Your scores are divided by √d_k. Here they are not divided by anything yet: that "
        "comes in the exercise on scaling."
    ),
    spares=["large"],
    edit=("K @ q", "K @ q / math.sqrt(len(q))"),
)


@wrong(
    "scores-cut-off",
    "the weights are cut off, the values are not",
    match="no gradient.*reaches Q",
    loses=["gradients"],
)
def attention_loop(Q, K, V):
    outputs = []
    for q in Q:
        scores = torch.tensor([q.dot(k).item() for k in K], dtype=V.dtype)
        weights = scores.softmax(0)
        outputs.append(sum(w * v for w, v in zip(weights, V)))
    return torch.stack(outputs)


wrong(
    "sums-keys",
    "weighs the keys in place of the values",
    says="Your weights average the keys. They should average the values.",
    edit=("sum(w * v for w, v in zip(weights, V))", "sum(w * k for w, k in zip(weights, K))"),
)

wrong(
    "swapped",
    says=(
        "Queries and keys are swapped: row i of the scores belongs to query i, so it is Q "
        "Kᵀ and not K Qᵀ."
    ),
    edit=[("for q in Q", "for k in K"), ("K @ q", "Q @ k")],
)


@wrong(
    "weights-turned",
    says=(
        "You transpose the weights before you multiply by the values: output i is the sum "
        "over j of weight[i, j] times value j, so it is A' V and not A'ᵀ V."
    ),
)
def attention_loop(Q, K, V):
    out = V.new_zeros(len(K), V.shape[1])
    for i, q in enumerate(Q):
        weights = torch.softmax(K @ q, dim=0)
        for j in range(len(K)):
            out[j] += weights[j] * V[i]
    return out


broken("for k in K]", "for k in Q]")
broken("zip(weights, V)", "zip(weights, V.flip(0))")
broken("(q * k).sum()", "(q + k).sum()")
broken("scores.softmax(dim=0)", "scores.abs().softmax(dim=0)")
