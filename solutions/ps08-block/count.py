@right("closed", "closed formulas", edited=True)
def block_parameters(D, H, K, F):
    return 4 * D * H * K + 2 * D * F + F + 5 * D


def block_flops(T, D, H, K, F):
    return {
        "projections": 8 * T * D * H * K,
        "attention": 4 * T * T * H * K,
        "ffn": 4 * T * D * F,
    }


def half_length(D, H, K, F):
    return 2 * D + D * F / (H * K)


@right("shapes", "shapes multiplied out, the length found by halving an interval")
def shapes_of(D, H, K, F):
    matrices = [(D, H * K)] * 3 + [(H * K, D), (D, F), (F, D)]
    return matrices, [F, D, D, D, D, D]


def block_parameters(D, H, K, F):
    matrices, vectors = shapes_of(D, H, K, F)
    return sum(m * n for m, n in matrices) + sum(vectors)


def block_flops(T, D, H, K, F):
    matrices, _ = shapes_of(D, H, K, F)
    costs = [2 * T * m * n for m, n in matrices]
    found = {"projections": sum(costs[:4]), "attention": 0, "ffn": sum(costs[4:])}
    for _ in range(H):
        found["attention"] += 2 * T * K * T
        found["attention"] += 2 * T * T * K
    return found


def half_length(D, H, K, F):
    low, high = 0.0, 1e9
    for _ in range(200):
        middle = (low + high) / 2
        found = block_flops(middle, D, H, K, F)
        if found["attention"] < found["projections"] + found["ffn"]:
            low = middle
        else:
            high = middle
    return torch.tensor(low, dtype=torch.float64)


wrong(
    "b-1-missing",
    says="b_1, with F numbers, is missing. The feed-forward layer has two biases.",
    loses=["parameters"],
    edit=("2 * D * F + F + 5", "2 * D * F + 5"),
)

wrong(
    "b-2-missing",
    says="b_2, with D numbers, is missing. The feed-forward layer has two biases.",
    loses=["parameters"],
    edit=("5 * D", "4 * D"),
)

wrong(
    "biases-in-attention",
    says="You count biases in attention. There are none here.",
    loses=["parameters"],
    edit=("return 4 * D * H * K", "return 4 * D * H * K + 3 * H * K + D"),
)

wrong(
    "causal",
    says="You count only keys up to the query. There is no mask, so all T · T scores count.",
    loses=["flops", "growth"],
    edit=("4 * T * T", "2 * T * (T + 1)"),
)


@wrong("counter", "lets PyTorch count the products", match="by hand", loses=["flops", "growth"])
def block_parameters(D, H, K, F):
    tensors = [torch.empty(D, H * K) for _ in range(4)]
    tensors += [torch.empty(D, F), torch.empty(F, D), torch.empty(F)]
    tensors += [torch.empty(D) for _ in range(5)]
    return sum(t.numel() for t in tensors)


def block_flops(T, D, H, K, F):
    from torch.utils.flop_counter import FlopCounterMode

    def counted(*products):
        with FlopCounterMode(display=False) as counter:
            for a, b in products:
                torch.zeros(a) @ torch.zeros(b)
        return counter.get_total_flops()

    return {
        "projections": counted(*[((T, D), (D, H * K))] * 3, ((T, H * K), (H * K, D))),
        "attention": counted(((H, T, K), (H, K, T)), ((H, T, T), (H, T, K))),
        "ffn": counted(((T, D), (D, F)), ((T, F), (F, D))),
    }


def half_length(D, H, K, F):
    return D * (2 * H * K + F) / (H * K)


wrong(
    "ffn-biases-missing",
    says="The feed-forward layer's biases are missing. They have F and D numbers.",
    loses=["parameters"],
    edit=("2 * D * F + F + 5 * D", "2 * D * F + 4 * D"),
)

wrong(
    "half-of-ffn",
    "where attention equals the feed-forward layer",
    says=(
        'At your T, "attention" costs as much as "ffn". It must cost as much as '
        '"projections" and "ffn" together.'
    ),
    loses=["half"],
    edit=("2 * D + D", "D"),
)

wrong(
    "linear",
    "scores that grow with T alone",
    says="You count T scores. Each of T queries meets each of T keys, so there are T · T.",
    spares=["parameters"],
    edit=[("T * H", "H"), ("2 * D + D * F / (H * K)", "8 * D * H * K + 4 * D * F")],
)

wrong(
    "matrices-alone",
    "forgets the vectors",
    says="You count only the matrices. Gains and biases are parameters, too.",
    loses=["parameters"],
    edit=("F + F + 5 * D", "F"),
)


@wrong(
    "multiply-adds",
    "a multiplication and its addition count as one",
    says="You count a multiplication and its addition as one operation. They are two.",
    loses=["flops"],
)
def block_parameters(D, H, K, F):
    return 4 * D * H * K + 2 * D * F + F + 5 * D


def block_flops(T, D, H, K, F):
    return {
        "projections": 4 * T * D * H * K,
        "attention": 2 * T * T * H * K,
        "ffn": 2 * T * D * F,
    }


def half_length(D, H, K, F):
    return 2 * D + D * F / (H * K)


wrong(
    "no-output-matrix",
    "forgets W_O",
    says="W_O is missing. Attention has four matrices.",
    loses=["parameters", "flops"],
    edit=[("return 4", "return 3"), ("8 * T", "6 * T")],
)

wrong(
    "norms-missing",
    says="The norms are missing. There are two, each with a gain and a bias.",
    loses=["parameters"],
    edit=("5 * D", "D"),
)

wrong(
    "one-ffn-matrix",
    says="The feed-forward layer has two matrices, W_1 and W_2. You count one.",
    loses=["parameters", "flops"],
    edit=[("2 * D * F", "D * F"), ("4 * T * D * F", "2 * T * D * F")],
)


@wrong(
    "one-head",
    "counts one head",
    says="You count one head. Each matrix of attention has the columns of all H heads.",
)
def block_parameters(D, H, K, F):
    return 4 * D * K + 2 * D * F + F + 5 * D


def block_flops(T, D, H, K, F):
    return {
        "projections": 8 * T * D * K,
        "attention": 4 * T * T * K,
        "ffn": 4 * T * D * F,
    }


def half_length(D, H, K, F):
    return 2 * D + D * F / K


wrong(
    "one-norm",
    "counts one norm",
    says=(
        "One norm is missing, or you count only one of gain and bias: there are two "
        "norms, each with both."
    ),
    loses=["parameters"],
    edit=("F + 5", "F + 3"),
)

wrong(
    "one-token",
    says="That is the count for one token. T tokens pass through the block.",
    loses=["flops", "growth"],
    edit=[("8 * T * D", "8 * D"), ("4 * T * D", "4 * D")],
)

wrong(
    "output-matrix-square",
    says="You count D · D numbers in W_O. It has H · K · D.",
    loses=["parameters"],
    edit=("return 4 * D * H * K", "return 3 * D * H * K + D * D"),
)

wrong(
    "projections-alone",
    says=(
        'At your T, "attention" costs as much as "projections". It must cost as much as '
        '"projections" and "ffn" together.'
    ),
    loses=["half"],
    edit=("2 * D + D * F / (H * K)", "2 * D"),
)

wrong(
    "rounded-up",
    says="You round the length up to a whole number. Do not round it.",
    loses=["half"],
    edit=("2 * D + D * F / (H * K)", "math.ceil(2 * D + D * F / (H * K))"),
)

wrong(
    "score-one-operation",
    says="You count one operation for each score. A score is a sum of K products.",
    loses=["flops", "growth"],
    edit=("4 * T * T * H * K", "4 * T * T * H"),
)

wrong(
    "scores-alone",
    "forgets the weighted sum",
    says=(
        'Half of "attention" is missing. Did you count both the scores and the weighted sums? A '
        "multiplication and its addition are two operations."
    ),
    loses=["flops", "half"],
    edit=[("4 * T * T", "2 * T * T"), ("2 * D + D", "4 * D + 2 * D")],
)

wrong(
    "six-d",
    says="That is right only if F = 4 D and H · K = D. Use the sizes that are given.",
    loses=["half"],
    edit=("2 * D + D * F / (H * K)", "6 * D"),
)


@wrong(
    "square",
    "uses D as the width of all heads",
    says="You use D as the width of all heads together. It is H · K.",
    spares=["growth"],
)
def block_parameters(D, H, K, F):
    return 4 * D * D + 2 * D * F + F + 5 * D


def block_flops(T, D, H, K, F):
    return {
        "projections": 8 * T * D * D,
        "attention": 4 * T * T * D,
        "ffn": 4 * T * D * F,
    }


def half_length(D, H, K, F):
    return 2 * D + F


wrong(
    "third",
    says=(
        'At your T, "attention" is a third of the block. To be half, it must cost as much as '
        '"projections" and "ffn" together.'
    ),
    loses=["half"],
    edit=("2 * D + D * F / (H * K)", "D + D * F / (2 * H * K)"),
)


@wrong("tuple", "gives a tuple", match="a dict with", loses=["flops", "growth"])
def block_parameters(D, H, K, F):
    return 4 * D * H * K + 2 * D * F + F + 5 * D


def block_flops(T, D, H, K, F):
    return 8 * T * D * H * K, 4 * T * T * H * K, 4 * T * D * F


def half_length(D, H, K, F):
    return 2 * D + D * F / (H * K)


wrong(
    "whole-length",
    "rounds the length down to a whole number",
    says="You round the length down to a whole number. Do not round it.",
    loses=["half"],
    edit=("F / (H * K)", "F // (H * K)"),
)

broken("ffn = 2 * D * F + F + D\n", "ffn = 2 * D * F + 2 * F\n")
broken("projections = 4 * (2 * T * D * H * K)", "projections = 4 * (2 * T * T * H * K)")
broken("weighted = H * (2 * T * T * K)", "weighted = H * (2 * T * T)")
broken("return others / (4 * H * K)", "return others / (2 * H * K)")
