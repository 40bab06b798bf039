@right("einsum", "einsum, logsumexp, equal weights for the best")
def soft_look_up(q, K, V, tau):
    r = torch.einsum("sd,d->s", K, q).div(tau)
    a = torch.exp(r - r.logsumexp(0))
    return torch.einsum("s,sv->v", a, V), a


def hard_look_up(q, K, V):
    r = (K * q).sum(1)
    a = (r == r.amax()).to(V.dtype)
    return (a / a.sum()) @ V


@right("loop", "keys one after the other; the limit by picking out the best")
def soft_look_up(q, K, V, tau):
    r = torch.stack([(k * q).sum() / tau for k in K])
    e = (r - r.max()).exp()
    a = e / e.sum()
    return sum(w * v for w, v in zip(a, V, strict=True)), a


def hard_look_up(q, K, V):
    r = [float((k * q).sum()) for k in K]
    best = [j for j, score in enumerate(r) if score == max(r)]
    return torch.stack([V[j] for j in best]).sum(0) / len(best)


@right("plain", "the steps that the wrong answers below change", edited=True)
def soft_look_up(q, K, V, tau):
    a = (K @ q / tau).softmax(0)
    return a @ V, a


def hard_look_up(q, K, V):
    r = K @ q
    return V[r == r.max()].mean(0)


wrong(
    "after-softmax",
    "divides the weights",
    says=(
        "You divide by τ after the softmax: the weights no longer sum to 1. Divide the "
        "scores, then take the softmax."
    ),
    spares=["hard"],
    edit=("a = (K @ q / tau).softmax(0)", "a = (K @ q).softmax(0) / tau"),
)

wrong(
    "argmax",
    "argmax takes the first of equal scores",
    says=(
        "Several keys have the largest score. You take the first of them. A soft look-up "
        "gives equal scores equal weights at any temperature."
    ),
    loses=["hard", "precision"],
    edit=("r = K @ q\n    return V[r == r.max()].mean(0)", "return V[(K @ q).argmax()]"),
)

wrong(
    "argmin",
    says="You take the value of the key with the smallest score. Take the largest.",
    loses=["hard"],
    edit=("r == r.max()", "r == r.min()"),
)


wrong(
    "best-key",
    "returns the best key",
    says="You return a key. Return the value that goes with it.",
    loses=["hard", "precision"],
    edit=("return V", "return K"),
)

wrong(
    "clamped",
    "cuts large scores off",
    says=(
        "At a small τ all your weights are alike. Do you cut off large scores? Then their "
        "differences are lost."
    ),
    loses=["limits"],
    edit=(
        "a = (K @ q / tau).softmax(0)",
        "e = torch.exp((K @ q / tau).clamp(max=80))\n    a = e / e.sum()",
    ),
)


@wrong(
    "float32",
    "through a new 32-bit tensor",
    match="float32, it must be float64",
    loses=["limits", "precision"],
)
def soft_look_up(q, K, V, tau):
    a = torch.zeros(len(K))
    for j, k in enumerate(K):
        a[j] = k @ q / tau
    a = a.softmax(0)
    return (a[:, None] * V.float()).sum(0), a


def hard_look_up(q, K, V):
    r = K @ q
    return V[r == r.max()].mean(0)


wrong(
    "keys",
    "sums the keys",
    says="Your weights average the keys. They should average the values.",
    spares=["hard"],
    edit=("a @ V", "a @ K"),
)

wrong(
    "last-of-best",
    says=(
        "Several keys have the largest score. You take the last of them. A soft look-up "
        "gives equal scores equal weights at any temperature."
    ),
    loses=["hard", "precision"],
    edit=("V[r == r.max()].mean(0)", "V[r == r.max()][-1]"),
)


wrong(
    "mean",
    says="The weights are not applied to the values: your output is their plain mean.",
    spares=["hard"],
    edit=("a @ V", "V.mean(0)"),
)


wrong(
    "multiplied",
    "multiplies by the temperature",
    says="Your scores are multiplied by τ. Divide by it: a small τ makes the look-up sharp.",
    spares=["hard"],
    edit=("q / tau", "q * tau"),
)

wrong(
    "no-softmax",
    says="The softmax is missing: the scores themselves multiply the values.",
    spares=["hard"],
    edit=("(K @ q / tau).softmax(0)", "K @ q / tau"),
)


wrong(
    "no-temperature",
    "leaves the temperature out",
    says="Your weights do not depend on τ. Divide the scores by it before the softmax.",
    spares=["hard"],
    edit=("q / tau", "q"),
)

wrong(
    "not-divided",
    says="Your weights are exp(score), not divided by their sum over the keys.",
    spares=["hard"],
    edit=("(K @ q / tau).softmax(0)", "torch.exp(K @ q / tau)"),
)


wrong(
    "overflow",
    "exp of scores that are too large",
    match="infinite if τ is small",
    loses=["limits"],
    edit=("a = (K @ q / tau).softmax(0)", "e = torch.exp(K @ q / tau)\n    a = e / e.sum()"),
)


@wrong(
    "ready-made", "PyTorch's attention", match="does the whole of this exercise", spares=["hard"]
)
def soft_look_up(q, K, V, tau):
    a = (K @ q / tau).softmax(0)
    o = torch.nn.functional.scaled_dot_product_attention(
        q[None, None], K[None], V[None], scale=1 / tau
    )
    return o[0, 0], a


def hard_look_up(q, K, V):
    r = K @ q
    return V[r == r.max()].mean(0)


wrong(
    "root-too",
    "scales by the root of the width as self-attention does",
    says="Your scores are divided by √D as well. Here you divide by τ alone.",
    spares=["limits", "hard"],
    edit=("q / tau", "q / (tau * math.sqrt(len(q)))"),
)

wrong(
    "scores-returned",
    "returns the scores as weights",
    says="You return the scores, before the softmax, as the weights.",
    spares=["limits", "hard"],
    edit=(
        "a = (K @ q / tau).softmax(0)\n    return a @ V, a",
        "r = K @ q / tau\n    return r.softmax(0) @ V, r",
    ),
)

wrong(
    "sum-of-best",
    "adds the values of equal scores",
    says=(
        "Several keys have the largest score. You add their values. The weights of a "
        "look-up sum to 1, so take their mean."
    ),
    loses=["hard", "precision"],
    edit=("[r == r.max()].mean", "[r == r.max()].sum"),
)

wrong(
    "twice",
    "divides query and keys",
    says="You divide by τ twice, both the query and the keys. Divide each score once.",
    spares=["limits", "hard"],
    edit=("K @ q / tau", "(K / tau) @ (q / tau)"),
)

wrong(
    "weights-forgotten",
    "returns the output alone",
    match="expected 2 results",
    spares=["hard"],
    edit=(
        "a = (K @ q / tau).softmax(0)\n    return a @ V, a",
        "return (K @ q / tau).softmax(0) @ V",
    ),
)

broken("scores = K @ q / tau", "scores = K @ q - tau")
broken("weights = scores.softmax(dim=0)", "weights = scores.sigmoid()")
broken("best = scores == scores.max()", "best = scores >= scores.mean()")
broken("V[best].mean(dim=0)", "V[best].amax(dim=0)")
