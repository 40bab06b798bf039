@right("identity", "rows of the identity; index_select; one-hot rows turned round")
def one_hot(ids, n):
    return torch.eye(n)[ids]


def look_up(ids, W):
    return W.index_select(0, ids)


def look_up_gradient(ids, G, n):
    return one_hot(ids, n).to(G.dtype).mT @ G


@right("loops", "stack of rows; index_put with accumulate")
def one_hot(ids, n):
    rows = torch.zeros(len(ids), n)
    for row, word in zip(rows, ids.tolist()):
        row[word] = 1
    return rows


def look_up(ids, W):
    return torch.stack([W[word] for word in ids.tolist()])


def look_up_gradient(ids, G, n):
    dW = torch.zeros(n, G.shape[-1], dtype=G.dtype)
    return dW.index_put_((ids,), G, accumulate=True)


@right("scatter", "scatter both ways, gather")
def one_hot(ids, n):
    return torch.zeros(len(ids), n).scatter(1, ids[:, None], 1.0)


def look_up(ids, W):
    return W.gather(0, ids[:, None].expand(-1, W.shape[1]))


def look_up_gradient(ids, G, n):
    dW = G.new_zeros(n, G.shape[1])
    return dW.scatter_add(0, ids[:, None].expand_as(G), G)


@right("plain", "the steps that the wrong answers below change", edited=True)
def one_hot(ids, n):
    return (ids[:, None] == torch.arange(n)).float()


def look_up(ids, W):
    return W[ids]


def look_up_gradient(ids, G, n):
    return G.new_zeros(n, G.shape[1]).index_add(0, ids, G)


@wrong(
    "assigned",
    "an assignment keeps one row",
    says=(
        "If a word occurs twice, only its last row of G is kept. The rows must add up, but both "
        "dW[ids] = G and dW[ids] += G write each row only once."
    ),
    loses=["repeated"],
)
def one_hot(ids, n):
    return (ids[:, None] == torch.arange(n)).float()


def look_up(ids, W):
    return W[ids]


def look_up_gradient(ids, G, n):
    dW = G.new_zeros(n, G.shape[1])
    dW[ids] = G
    return dW


@wrong(
    "autograd",
    "lets PyTorch find the gradient",
    match="`backward` lets PyTorch find",
    loses=["gradient", "repeated"],
)
def one_hot(ids, n):
    return (ids[:, None] == torch.arange(n)).float()


def look_up(ids, W):
    return W[ids]


def look_up_gradient(ids, G, n):
    W = torch.zeros(n, G.shape[1], dtype=G.dtype, requires_grad=True)
    W[ids].backward(G)
    return W.grad


wrong(
    "boolean",
    "True and False",
    match="bool",
    loses=["one-hot"],
    edit=(
        "return (ids[:, None] == torch.arange(n)).float()",
        "return ids[:, None] == torch.arange(n)",
    ),
)

wrong(
    "columns",
    "columns instead of rows",
    match="IndexError|shape",
    loses=["rows"],
    edit=("W[ids]", "W[:, ids]"),
)


wrong(
    "counts",
    "counts words and forgets what arrived",
    says="You count how often each word occurs. Add up its rows of G instead.",
    loses=["gradient", "repeated"],
    edit=(
        "return G.new_zeros(n, G.shape[1]).index_add(0, ids, G)",
        (
            "counts = torch.bincount(ids, minlength=n).to(G.dtype)\n"
            "    return counts[:, None].expand(n, G.shape[1])"
        ),
    ),
)


wrong(
    "detached",
    "through a list of numbers",
    match="no gradient flows",
    loses=["rows"],
    edit=("W[ids]", "torch.tensor([W[word].tolist() for word in ids], dtype=W.dtype)"),
)

wrong(
    "embedding",
    "PyTorch's embedding",
    match="`embedding`.*writes by hand",
    loses=["rows"],
    edit=("W[ids]", "torch.nn.functional.embedding(ids, W)"),
)


@wrong(
    "float32",
    "makes its own zeros of 32 bits",
    match="float32, it must be float64",
    loses=["gradient", "repeated"],
)
def one_hot(ids, n):
    return (ids[:, None] == torch.arange(n)).float()


def look_up(ids, W):
    return W[ids]


def look_up_gradient(ids, G, n):
    dW = torch.zeros(n, G.shape[1])
    for word, g in zip(ids, G):
        dW[word] += g
    return dW


wrong(
    "from-one",
    "counts ids from 1",
    says="Your code counts ids from 1. They start at 0.",
    loses=["one-hot"],
    edit=("torch.arange(n)", "torch.arange(1, n + 1)"),
)

wrong(
    "gradient-rows",
    "one row for each id",
    says="Your gradient has a row for each id. It must have one for each word, like W.",
    loses=["gradient", "repeated"],
    edit=("G.new_zeros(n, G.shape[1]).index_add(0, ids, G)", "G"),
)

wrong(
    "gradient-transposed",
    says="Your gradient is transposed. It must have the shape of W, a row for each word.",
    loses=["gradient", "repeated"],
    edit=(
        "G.new_zeros(n, G.shape[1]).index_add(0, ids, G)",
        "G.mT @ one_hot(ids, n).to(G.dtype)",
    ),
)


wrong(
    "library",
    "PyTorch's one_hot",
    match="`one_hot`.*writes by hand",
    loses=["one-hot"],
    edit=(
        "return (ids[:, None] == torch.arange(n)).float",
        "return torch.nn.functional.one_hot(ids, n).float",
    ),
)


@wrong(
    "many-hot",
    "all words in one row",
    says="You put all words into one row. Each id needs its own row.",
    loses=["one-hot"],
)
def one_hot(ids, n):
    row = torch.zeros(n)
    row[ids] = 1
    return row


def look_up(ids, W):
    return W[ids]


def look_up_gradient(ids, G, n):
    return G.new_zeros(n, G.shape[1]).index_add(0, ids, G)


wrong(
    "mean",
    "divides by the counts",
    says="If a word occurs twice, you take the mean of its rows of G. Add them up instead.",
    loses=["repeated"],
    edit=(
        "return G.new_zeros(n, G.shape[1]).index_add(0, ids, G)",
        (
            "counts = torch.bincount(ids, minlength=n).clamp(min=1)\n"
            "    return G.new_zeros(n, G.shape[1]).index_add(0, ids, G) / counts[:, None]"
        ),
    ),
)


@wrong(
    "plus-equals",
    "+= with an index keeps one row as well",
    says=(
        "If a word occurs twice, only its last row of G is kept. The rows must add up, but both "
        "dW[ids] = G and dW[ids] += G write each row only once."
    ),
    loses=["repeated"],
)
def one_hot(ids, n):
    return (ids[:, None] == torch.arange(n)).float()


def look_up(ids, W):
    return W[ids]


def look_up_gradient(ids, G, n):
    dW = G.new_zeros(n, G.shape[1])
    dW[ids] += G
    return dW


wrong(
    "product",
    "multiplies by the one-hot rows",
    match="reads all of W",
    loses=["rows"],
    edit=("W[ids]", "one_hot(ids, len(W)).to(W.dtype) @ W"),
)

wrong(
    "turned",
    "a row for each word",
    says="Your matrix is transposed: it needs a row for each id and a column for each word.",
    loses=["one-hot"],
    edit=("return (ids[:, None] == torch.arange(n)).float()", "return torch.eye(n)[ids].mT"),
)

broken("rows[torch.arange(len(ids)), ids] = 1.0", "rows[:, ids] = 1.0")
broken("return W[ids]", "return W[ids.sort().values]")
broken("dW[word] += g", "dW[word] += g.abs()")
broken("zip(ids, G)", "zip(ids.unique(), G)")
