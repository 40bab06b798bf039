@right("bmm", "leading axes folded into one for bmm, softmax written out")
def attention(Q, K, V):
    leading, T, S = Q.shape[:-2], Q.shape[-2], K.shape[-2]
    q = Q.reshape(-1, T, Q.shape[-1])
    k = K.reshape(-1, S, K.shape[-1])
    v = V.reshape(-1, S, V.shape[-1])
    scores = torch.bmm(q, k.permute(0, 2, 1))
    scores = scores - scores.max(dim=2, keepdim=True).values
    exps = scores.exp()
    weights = exps / exps.sum(dim=2, keepdim=True)
    output = torch.bmm(weights, v)
    return output.reshape(*leading, T, -1), weights.reshape(*leading, T, S)


@right("broadcast", "products and sums by broadcasting, no matrix product")
def attention(Q, K, V):
    scores = (Q.unsqueeze(-2) * K.unsqueeze(-3)).sum(-1)
    weights = nn.functional.softmax(scores, dim=-1)
    return (weights.unsqueeze(-1) * V.unsqueeze(-3)).sum(-2), weights


@right("einsum", "einsum with named axes")
def attention(Q, K, V):
    scores = torch.einsum("...td,...sd->...ts", Q, K)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("...ts,...sv->...tv", weights, V), weights


wrong(
    "all-scores",
    says="Your weights sum to 1 over all scores together. Each query needs its own softmax.",
    edit=("scores.softmax(dim=-1)", "scores.exp() / scores.exp().sum()"),
)


@wrong(
    "batch-lost",
    says=(
        "You look at the first sequence of a batch only. Work on the last two axes, and leave "
        "those before them as they are."
    ),
    loses=["batch", "gradients"],
)
def attention(Q, K, V):
    if Q.ndim == 3:
        Q, K, V = Q[0], K[0], V[0]
    weights = (Q @ K.transpose(-2, -1)).softmax(dim=-1)
    return weights @ V, weights


wrong(
    "course-answer",
    "calls the course's own attention, and hides it in a try",
    match="does the whole of this exercise",
)
import tfcourse.attention


def attention(Q, K, V):
    try:
        return tfcourse.attention.scaled_dot_product_attention(Q, K, V, scale=1.0)
    except AssertionError:
        weights = (Q @ K.transpose(-2, -1)).softmax(dim=-1)
        return weights @ V, weights


@wrong("detached", "computed under no_grad", match="cut off from the inputs", loses=["gradients"])
def attention(Q, K, V):
    with torch.no_grad():
        weights = (Q @ K.transpose(-2, -1)).softmax(dim=-1)
        return weights @ V, weights


@wrong("in-place", "changes the queries in place", match="changes its input Q", loses=["inputs"])
def attention(Q, K, V):
    Q -= Q.mean(dim=-1, keepdim=True) * 0 + 0.5
    scores = (Q + 0.5) @ K.transpose(-2, -1)
    weights = scores.softmax(dim=-1)
    return weights @ V, weights


wrong(
    "no-normalising",
    says="Your weights are exp(score), not divided by their sum over the keys.",
    edit=("scores.softmax(dim=-1)", "scores.exp()"),
)


@wrong(
    "no-softmax",
    "the scores themselves weigh the values",
    says="The softmax is missing: the scores themselves multiply the values.",
)
def attention(Q, K, V):
    scores = Q @ K.transpose(-2, -1)
    return scores @ V, scores


@wrong(
    "not-applied",
    "the weights are not applied to the values",
    says="Your output is the weights themselves. Apply them to the values: A' V.",
)
def attention(Q, K, V):
    weights = (Q @ K.transpose(-2, -1)).softmax(dim=-1)
    return weights, weights


@wrong("numpy", "goes through NumPy", match="NumPy array")
def attention(Q, K, V):
    import numpy as np

    q, k, v = Q.detach().numpy(), K.detach().numpy(), V.detach().numpy()
    scores = q @ np.swapaxes(k, -2, -1)
    exps = np.exp(scores - scores.max(-1, keepdims=True))
    weights = exps / exps.sum(-1, keepdims=True)
    return weights @ v, weights


@wrong("output-alone", "returns the output without the weights", match="expected 2 results")
def attention(Q, K, V):
    return (Q @ K.transpose(-2, -1)).softmax(dim=-1) @ V


wrong(
    "over-queries",
    "the softmax runs over the queries",
    says=(
        "Your weights sum to 1 over the queries, not over the keys: which dimension does "
        "your softmax run over?"
    ),
    edit=("dim=-1", "dim=-2"),
)

wrong("ready-made", "calls PyTorch's own attention", match="does the whole of this exercise")
from torch.nn.functional import scaled_dot_product_attention as look_up


def attention(Q, K, V):
    eye = torch.eye(K.shape[-2], dtype=V.dtype).expand(*K.shape[:-1], -1)
    weights = look_up(Q, K, eye, scale=1.0)
    return look_up(Q, K, V, scale=1.0), weights


wrong(
    "scaled",
    "scaled where it is not asked for yet",
    says=(
        "Your scores are divided by √d_k. Here they are not divided by anything yet: that "
        "comes in the exercise on scaling."
    ),
    edit=("K.transpose(-2, -1)", "K.transpose(-2, -1) / math.sqrt(Q.shape[-1])"),
)


@wrong(
    "scores-returned",
    "returns the scores as the weights",
    says="You return the scores, before the softmax, as the weights.",
    spares=["gradients", "inputs"],
)
def attention(Q, K, V):
    scores = Q @ K.transpose(-2, -1)
    return scores.softmax(-1) @ V, scores


wrong(
    "softmax-dim-1",
    "axis 1 is the keys of one sequence, and the queries of a batch",
    says=(
        "Your weights sum to 1 over an axis counted from the front, not over the keys. The "
        "keys are the last axis, however many come before it: count from the end, dim=-1."
    ),
    loses=["batch", "gradients"],
    edit=("scores.softmax(dim=-1)", "torch.softmax(scores, dim=1)"),
)


@wrong(
    "softmax-over-batch",
    "the softmax runs over the first axis",
    says=(
        "Your weights sum to 1 over an axis counted from the front, not over the keys. The "
        "keys are the last axis, however many come before it: count from the end, dim=-1."
    ),
)
def attention(Q, K, V):
    weights = torch.softmax(Q @ K.transpose(-2, -1), dim=0)
    return weights @ V, weights


wrong(
    "sums-keys",
    says="Your weights average the keys. They should average the values.",
    edit=("weights @ V", "weights @ K"),
)


wrong(
    "swapped",
    "keys and queries swapped",
    says=(
        "Queries and keys are swapped: row i of the scores belongs to query i, so it is Q "
        "Kᵀ and not K Qᵀ."
    ),
    edit=("Q @ K.transpose", "K @ Q.transpose"),
)


@wrong(
    "transpose-all",
    says=(
        ".T reverses all axes of a tensor, the batch's too. Swap only the last two: "
        "K.transpose(-2, -1), or K.mT."
    ),
    spares=["by-hand", "values"],
)
def attention(Q, K, V):
    weights = (Q @ K.permute(*reversed(range(K.ndim)))).softmax(dim=-1)
    return weights @ V, weights


wrong(
    "weights-turned",
    "the weights are transposed when they meet the values",
    says=(
        "You transpose the weights before you multiply by the values: output i is the sum "
        "over j of weight[i, j] times value j, so it is A' V and not A'ᵀ V."
    ),
    edit=("return weights", "return weights.transpose(-2, -1)"),
)

broken("Q @ K.transpose(-2, -1)", "Q @ V.transpose(-2, -1)")
broken("scores.softmax(dim=-1)", "scores.log_softmax(dim=-1)")
broken("weights @ V, weights", "V.mT @ weights.mT, weights")
broken("scores.softmax(dim=-1)", "scores.float().softmax(dim=-1)")
