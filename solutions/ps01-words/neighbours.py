@right("loops", "word by word, with sorted")
def neighbours(W, word, k):
    def cosine(a, b):
        lengths = a.norm() * b.norm()
        return (a @ b / lengths).item() if lengths > 0 else 0.0

    others = [r for r in range(len(W)) if r != word]
    others.sort(key=lambda r: cosine(W[r], W[word]), reverse=True)
    return torch.tensor(others[:k])


def analogy(W, a, b, c):
    target = W[b] / W[b].norm() - W[a] / W[a].norm() + W[c] / W[c].norm()
    scores = {r: (W[r] @ target / W[r].norm()).item() for r in range(len(W)) if r not in (a, b, c)}
    return max(scores, key=scores.get)


@right("normalize", "PyTorch's normalize; masked argmax, as a tensor")
def neighbours(W, word, k):
    U = torch.nn.functional.normalize(W, dim=1)
    cosines = torch.mv(U, U[word])
    others = torch.arange(len(W)) != word
    ids = others.nonzero().squeeze(1)
    return ids[cosines[others].topk(k).indices]


def analogy(W, a, b, c):
    U = torch.nn.functional.normalize(W, dim=1)
    cosines = U @ (U[c] + U[b] - U[a])
    return cosines.index_fill(0, torch.tensor([a, b, c]), -9.0).argmax()


@right("sorted", "sorts all and takes the id out")
def neighbours(W, word, k):
    lengths = W.norm(dim=1)
    cosines = W @ W[word] / (lengths * lengths[word]).clamp(min=1e-30)
    order = cosines.argsort(descending=True)
    return order[order != word][:k]


def analogy(W, a, b, c):
    U = W / W.norm(dim=1, keepdim=True)
    target = U[b] - U[a] + U[c]
    order = (U @ target).argsort(descending=True).tolist()
    return next(word for word in order if word not in (a, b, c))


@right("plain", "the steps that the wrong answers below change", edited=True)
def neighbours(W, word, k):
    lengths = W.norm(dim=1)
    cosines = W @ W[word] / (lengths * lengths[word]).clamp(min=1e-30)
    cosines[word] = -2
    return cosines.argsort(descending=True)[:k]


def analogy(W, a, b, c):
    U = W / W.norm(dim=1, keepdim=True)
    target = U[b] - U[a] + U[c]
    order = (U @ target).argsort(descending=True).tolist()
    return next(word for word in order if word not in (a, b, c))


wrong(
    "absolute",
    "absolute cosines",
    says=(
        "A word that points the opposite way, with cosine -1, is far away. Do not take absolute "
        "values."
    ),
    spares=["itself", "analogy", "own-words"],
    edit=("cosines[word] = -2", "cosines = cosines.abs()\n    cosines[word] = -2"),
)

wrong(
    "analogy-distance",
    "smallest distance",
    says="You take the word at the smallest distance. Take the one with the largest cosine.",
    loses=["analogy"],
    edit=(
        "order = (U @ target).argsort(descending=True).tolist",
        "order = (W - target).norm(dim=1).argsort().tolist",
    ),
)

wrong(
    "analogy-distance-raw",
    says="You take the word at the smallest distance. Take the one with the largest cosine.",
    loses=["analogy"],
    edit=[
        ("U[b] - U[a] + U", "W[b] - W[a] + W"),
        (
            "order = (U @ target).argsort(descending=True).tolist",
            "order = (W - target).norm(dim=1).argsort().tolist",
        ),
    ],
)


wrong(
    "analogy-dot",
    "largest dot product",
    says=(
        "In your code long vectors win. The answer has the largest cosine, so divide each "
        "word's product by the length of its vector."
    ),
    loses=["analogy"],
    edit=("U @ target", "W @ target"),
)

wrong(
    "analogy-dot-raw",
    says=(
        "In your code long vectors win. The answer has the largest cosine, so divide each "
        "word's product by the length of its vector."
    ),
    loses=["analogy"],
    edit=[("U[b] - U[a] + U", "W[b] - W[a] + W"), ("U @ target", "W @ target")],
)


wrong(
    "analogy-vector",
    "returns the vector",
    says="You return a vector. Return the id of the word nearest to it.",
    loses=["analogy", "own-words"],
    edit=(
        "order = (U @ target).argsort(descending=True).tolist()",
        "return target\n    order = (U @ target).argsort(descending=True).tolist()",
    ),
)

wrong(
    "cosines-returned",
    "cosines in place of ids",
    says="You return the cosines. Return the ids of the words.",
    spares=["analogy", "own-words"],
    edit=("cosines.argsort(descending=True)", "cosines.sort(descending=True).values"),
)


@wrong(
    "distance",
    "smallest distance",
    says=(
        "These have the smallest distance |w - w'|, which depends on lengths too. Look for "
        "the largest cosine."
    ),
    spares=["analogy", "own-words"],
)
def neighbours(W, word, k):
    distances = (W - W[word]).norm(dim=1)
    distances[word] = math.inf
    return distances.argsort()[:k]


def analogy(W, a, b, c):
    U = W / W.norm(dim=1, keepdim=True)
    target = U[b] - U[a] + U[c]
    order = (U @ target).argsort(descending=True).tolist()
    return next(word for word in order if word not in (a, b, c))


wrong(
    "dot-product",
    "lengths left in",
    says=(
        "In your code long vectors win: these are the largest dot products. A cosine "
        "divides by both lengths."
    ),
    spares=["analogy", "own-words"],
    edit=(
        (
            "cosines = W @ W[word] / (lengths * lengths[word]).clamp(min=1e-30)\n"
            "    cosines[word] = -2"
        ),
        ("cosines = W @ W[word]\n    cosines[word] = -math.inf"),
    ),
)


wrong(
    "first-dropped",
    "drops the first of the list",
    match="not the first of the list|its own neighbour",
    loses=["itself", "zeros"],
    edit=(
        "cosines[word] = -2\n    return cosines.argsort(descending=True)[:k]",
        "return cosines.argsort(descending=True, stable=True)[1 : k + 1]",
    ),
)

wrong(
    "furthest",
    "smallest cosine first",
    says="These are the furthest words: a large cosine means near.",
    spares=["analogy", "own-words"],
    edit=(
        "cosines[word] = -2\n    return cosines.argsort(descending=True)[:k]",
        "cosines[word] = 2\n    return cosines.argsort()[:k]",
    ),
)


@wrong("in-place", "normalises the matrix itself", match="changes its input W", loses=["values"])
def neighbours(W, word, k):
    W /= W.norm(dim=1, keepdim=True).clamp(min=1e-30)
    cosines = W @ W[word]
    cosines[word] = -2
    return cosines.argsort(descending=True)[:k]


def analogy(W, a, b, c):
    U = W / W.norm(dim=1, keepdim=True)
    target = U[b] - U[a] + U[c]
    order = (U @ target).argsort(descending=True).tolist()
    return next(word for word in order if word not in (a, b, c))


wrong(
    "itself",
    "the word is its own first neighbour",
    says="The word itself is among its neighbours. Leave it out.",
    spares=["analogy", "own-words"],
    edit=(
        "cosines[word] = -2\n    return cosines.argsort(descending=True)[:k]",
        "return cosines.argsort(descending=True)[:k]",
    ),
)


wrong(
    "library",
    "PyTorch's cosine",
    match="`cosine_similarity`.*writes by hand",
    spares=["analogy", "own-words"],
    edit=(
        (
            "lengths = W.norm(dim=1)\n"
            "    cosines = W @ W[word] / (lengths * lengths[word]).clamp(min=1e-30)"
        ),
        "cosines = torch.nn.functional.cosine_similarity(W, W[word][None])",
    ),
)


wrong(
    "list",
    "a list",
    match="expected a tensor, got a list",
    spares=["analogy", "own-words"],
    edit=("cosines.argsort(descending=True)[:k]", "cosines.argsort(descending=True)[:k].tolist()"),
)

wrong(
    "nan",
    "0/0 for a vector of zeros",
    says=(
        "Your code puts a vector of zeros first: its cosine is 0/0 = NaN, and NaN is "
        "sorted before every number. Make its cosine 0."
    ),
    loses=["zeros"],
    edit=(
        "[word] / (lengths * lengths[word]).clamp(min=1e-30)",
        "[word] / (lengths * lengths[word])",
    ),
)

wrong(
    "ones-dropped",
    "drops whatever has a cosine of 1",
    match="not every cosine of 1|leave out its id",
    loses=["itself", "zeros"],
    edit=("cosines[word]", "cosines[cosines > 1 - 1e-6]"),
)

wrong(
    "only-c-left-out",
    "b may be the answer",
    says="The words of the question are not answers: leave out all three, a, b and c.",
    loses=["analogy", "own-words"],
    edit=("word not in (a, b, c)", "word != c"),
)


wrong(
    "nan-first-dropped",
    says=(
        "The cosine of a vector of zeros is 0/0 = NaN, which sorts before all numbers: take it as "
        "0. And leave out the word by its id, since it need not be the first of the list."
    ),
    loses=["itself", "zeros"],
    edit=[
        (".clamp(min=1e-30)", ""),
        (
            "cosines[word] = -2\n    return cosines.argsort(descending=True)[:k]",
            "return cosines.argsort(descending=True, stable=True)[1 : k + 1]",
        ),
    ],
)


@wrong(
    "own-words-kept",
    "the question's words may be the answer",
    says="The words of the question are not answers: leave out all three, a, b and c.",
    loses=["analogy", "own-words"],
)
def neighbours(W, word, k):
    lengths = W.norm(dim=1)
    cosines = W @ W[word] / (lengths * lengths[word]).clamp(min=1e-30)
    cosines[word] = -2
    return cosines.argsort(descending=True)[:k]


def analogy(W, a, b, c):
    U = W / W.norm(dim=1, keepdim=True)
    return (U @ (U[b] - U[a] + U[c])).argmax().item()


wrong(
    "raw-vectors",
    "does not bring the three to length 1",
    says="In your code long vectors weigh more. Scale a, b and c to length 1 before you add them.",
    loses=["analogy"],
    edit=("U[b] - U[a] + U", "W[b] - W[a] + W"),
)

wrong(
    "raw-vectors-own-words-kept",
    says=(
        "Two things are missing: scale all vectors to length 1, or long ones win, and leave out "
        "the words of the question, a, b and c."
    ),
    loses=["analogy", "own-words"],
    edit=[
        ("U = W / W.norm(dim=1, keepdim=True)", "U = W"),
        ("word not in (a, b, c)", "True"),
    ],
)

wrong(
    "reversed",
    says="Your ids are right but in reverse order. The nearest comes first.",
    spares=["itself", "analogy", "own-words"],
    edit=("cosines.argsort(descending=True)[:k]", "cosines.argsort(descending=True)[:k].flip(0)"),
)


wrong(
    "signs",
    "from b to a",
    says="The signs are mixed up: the step from a to b is b - a. Add it to c.",
    loses=["analogy"],
    edit=("[b] - U[a]", "[a] - U[b]"),
)

wrong(
    "signs-of-b",
    says="The signs are mixed up: the step from a to b is b - a. Add it to c.",
    loses=["analogy", "own-words"],
    edit=("U[b] - U[a] + U[c]", "U[a] + U[b] - U[c]"),
)


wrong(
    "signs-of-c",
    says="The signs are mixed up: the step from a to b is b - a. Add it to c.",
    loses=["analogy", "own-words"],
    edit=("+ U[c]", "- U[c]"),
)


wrong(
    "squared-lengths",
    "squared lengths without their root",
    says="You divide by squared lengths. A length is the square root of the sum of the squares.",
    spares=["analogy", "own-words"],
    edit=("lengths = W.norm", "lengths = W.square().sum"),
)

broken("lengths = W.norm(dim=1, keepdim=True)", "lengths = W.norm(p=1, dim=1, keepdim=True)")
broken("cosines[word] = -math.inf", "cosines[word] = 0.0")
broken("cosines[[a, b, c]] = -math.inf", "cosines[[a, b]] = -math.inf")
broken("cosines.topk(k).indices", "cosines.topk(k).indices.sort().values")
