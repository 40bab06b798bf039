@right("einsum", "einsum, matrices filled by an initialiser, a loop over their names")
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        for name, width in {"W_Q": d_k, "W_K": d_k, "W_V": d_v}.items():
            weight = nn.Parameter(torch.empty(d_model, width))
            nn.init.xavier_uniform_(weight)
            self.register_parameter(name, weight)

    def forward(self, x, mask=None):
        q = torch.einsum("btd,dk->btk", x, self.W_Q)
        k = torch.einsum("btd,dk->btk", x, self.W_K)
        v = torch.einsum("btd,dv->btv", x, self.W_V)
        a = torch.einsum("btk,bsk->bts", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            a = torch.where(mask, a, torch.finfo(a.dtype).min)
        a = a.softmax(2)
        return torch.einsum("bts,bsv->btv", a, v), a


@right("one-product", "one product for all three, then split; F.linear underneath")
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.d_k, self.d_v = d_k, d_v
        self.W_Q = nn.Parameter(torch.randn(d_model, d_k))
        self.W_K = nn.Parameter(torch.randn(d_model, d_k))
        self.W_V = nn.Parameter(torch.randn(d_model, d_v))

    def attend(self, q, k, v, mask):
        scores = torch.matmul(q, k.transpose(1, 2)) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores + torch.zeros_like(scores).masked_fill(~mask, -1e30)
        weights = nn.Softmax(dim=-1)(scores)
        return weights @ v, weights

    def forward(self, x, mask=None):
        together = torch.cat([self.W_Q, self.W_K, self.W_V], dim=1)
        projected = nn.functional.linear(x, together.T)
        q, k, v = projected.split([self.d_k, self.d_k, self.d_v], dim=-1)
        return self.attend(q, k, v, mask)


@right("plain", "the steps that the wrong answers below change", edited=True)
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Parameter(torch.randn(d_model, d_k))
        self.W_K = nn.Parameter(torch.randn(d_model, d_k))
        self.W_V = nn.Parameter(torch.randn(d_model, d_v))

    def forward(self, x, mask=None):
        Q, K, V = x @ self.W_Q, x @ self.W_K, x @ self.W_V
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return weights @ V, weights


@wrong(
    "always-causal",
    "hides later tokens without being asked",
    says=(
        "Your code hides later tokens even without a mask. Without a mask, each token attends "
        "to all tokens."
    ),
)
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Parameter(torch.randn(d_model, d_k))
        self.W_K = nn.Parameter(torch.randn(d_model, d_k))
        self.W_V = nn.Parameter(torch.randn(d_model, d_v))

    def forward(self, x, mask=None):
        T = x.shape[1]
        Q, K, V = x @ self.W_Q, x @ self.W_K, x @ self.W_V
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        causal = torch.ones(T, T, dtype=torch.bool).tril()
        mask = causal if mask is None else causal & mask
        weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
        return weights @ V, weights


wrong(
    "by-d",
    says="Your scores are divided by d_k: divide by its square root, √d_k.",
    edit=("math.sqrt(Q.shape[-1])", "Q.shape[-1]"),
)

wrong(
    "by-length",
    says="Your scores are divided by the root of the number of keys. d_k is the width of a key.",
    loses=["by-hand", "values", "mask"],
    edit=("Q.shape[-1]", "Q.shape[1]"),
)


wrong("inherits", "derives from the course's own module", match="does the whole of this exercise")
from tfcourse import attention as ready_made


class SelfAttention(ready_made.SelfAttention):
    pass


@wrong("linear", "nn.Linear with a bias in place of the matrices", match="an nn.Linear stands for")
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k)
        self.W_K = nn.Linear(d_model, d_k)
        self.W_V = nn.Linear(d_model, d_v)

    def forward(self, x, mask=None):
        Q, K, V = self.W_Q(x), self.W_K(x), self.W_V(x)
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return weights @ V, weights


wrong(
    "mask-added",
    says=(
        "The mask is added as 0 and 1: that raises the allowed scores by 1 and hides "
        "nothing. A hidden score must become -∞, so that exp(score) is 0."
    ),
    loses=["mask"],
    edit=("scores.masked_fill(~mask, -math.inf)", "scores + mask"),
)


wrong(
    "mask-ignored",
    "takes a mask and does not use it",
    says=(
        "The mask has no effect: hidden keys get the weight that they would get without it. "
        "Mask their scores before the softmax."
    ),
    loses=["mask"],
    edit=(
        (
            "scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])\n"
            "        if mask is not None:\n"
            "            scores = scores.masked_fill(~mask, -math.inf)"
        ),
        "scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])",
    ),
)


wrong(
    "mask-inverted",
    says="The mask is the wrong way round: True = may be attended to, and you hide those.",
    loses=["mask"],
    edit=("~mask, -math.inf", "mask, -1e9"),
)

wrong(
    "multiplied-by-root",
    says="Your scores are multiplied by √d_k: divide by it instead.",
    edit=("/ math.sqrt", "* math.sqrt"),
)

wrong(
    "no-softmax",
    says="The softmax is missing: the scores themselves multiply the values.",
    edit=("scores.softmax(dim=-1)", "scores"),
)


@wrong("no-super", "forgets super().__init__()", match=r"before Module.__init__\(\) call")
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        self.W_Q = nn.Parameter(torch.randn(d_model, d_k))
        self.W_K = nn.Parameter(torch.randn(d_model, d_k))
        self.W_V = nn.Parameter(torch.randn(d_model, d_v))

    def forward(self, x, mask=None):
        Q, K, V = x @ self.W_Q, x @ self.W_K, x @ self.W_V
        weights = (Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])).softmax(-1)
        return weights @ V, weights


@wrong(
    "over-queries",
    "nn.Softmax(dim=1) on a batch runs over the queries",
    says=(
        "Your weights sum to 1 over the queries, not over the keys: which dimension does "
        "your softmax run over?"
    ),
)
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Parameter(torch.randn(d_model, d_k))
        self.W_K = nn.Parameter(torch.randn(d_model, d_k))
        self.W_V = nn.Parameter(torch.randn(d_model, d_v))
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x, mask=None):
        Q, K, V = x @ self.W_Q, x @ self.W_K, x @ self.W_V
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e30)
        weights = self.softmax(scores)
        return weights @ V, weights


@wrong("plain-tensors", "the matrices are plain tensors", match="a plain tensor stands for")
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = torch.randn(d_model, d_k, requires_grad=True)
        self.W_K = torch.randn(d_model, d_k, requires_grad=True)
        self.W_V = torch.randn(d_model, d_v, requires_grad=True)

    def forward(self, x, mask=None):
        Q, K, V = x @ self.W_Q, x @ self.W_K, x @ self.W_V
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return weights @ V, weights


@wrong("ready-made", "wraps nn.MultiheadAttention", match="does the whole of this exercise")
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.inner = nn.MultiheadAttention(d_model, 1, bias=False, batch_first=True)

    def forward(self, x, mask=None):
        return self.inner(x, x, x, attn_mask=None if mask is None else ~mask)


wrong(
    "root-of-d-model",
    "scaled by the root of d_model",
    says="The number under your root is d_model, the width of a token. d_k is the width of a key.",
    edit=("Q.shape", "x.shape"),
)

wrong(
    "root-of-d-v",
    "scaled by the root of d_v",
    says="The number under your root is d_v, the width of a value. d_k is the width of a key.",
    edit=("Q.shape", "V.shape"),
)


wrong(
    "scaled-after",
    says=(
        "You divide by √d_k after the softmax: the weights of a query no longer sum to 1. "
        "Scale the scores, then take the softmax."
    ),
    edit=[
        (" / math.sqrt(Q.shape[-1])", ""),
        ("scores.softmax(dim=-1)", "scores.softmax(dim=-1) / math.sqrt(Q.shape[-1])"),
    ],
)

wrong(
    "scores-returned",
    says="You return the scores, before the softmax, as the weights.",
    loses=["by-hand", "values", "mask"],
    edit=("weights @ V, weights", "weights @ V, scores"),
)


@wrong("shared", "one matrix for queries and keys", match="the parameters of")
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Parameter(torch.randn(d_model, d_k))
        self.W_V = nn.Parameter(torch.randn(d_model, d_v))

    def forward(self, x, mask=None):
        Q, K, V = x @ self.W_Q, x @ self.W_Q, x @ self.W_V
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return weights @ V, weights


wrong(
    "softmax-over-batch",
    says=(
        "Your weights sum to 1 over the sequences of the batch, not over the keys. The keys "
        "are the last axis: dim=-1."
    ),
    edit=("scores.softmax(dim=-1)", "scores.softmax(dim=0)"),
)


wrong(
    "squeezed",
    "squeezes a batch of one away",
    says=(
        "You drop the batch axis if there is one sequence. The output is (B, T, d_v) for any B: "
        "leave out squeeze()."
    ),
    edit=(
        "Q, K, V = x @ self.W_Q, x @ self.W_K, x @ self.W_V",
        "x = x.squeeze()\n        Q, K, V = x @ self.W_Q, x @ self.W_K, x @ self.W_V",
    ),
)

wrong(
    "swapped",
    "queries and keys swapped",
    says=(
        "Queries and keys are swapped: row i of the scores belongs to query i, so it is Q "
        "Kᵀ and not K Qᵀ."
    ),
    edit=("self.W_Q, x @ self.W_K", "self.W_K, x @ self.W_Q"),
)


@wrong("turned-round", "matrices of shape (out, in)", match="It is transposed")
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Parameter(torch.randn(d_k, d_model))
        self.W_K = nn.Parameter(torch.randn(d_k, d_model))
        self.W_V = nn.Parameter(torch.randn(d_v, d_model))

    def forward(self, x, mask=None):
        Q, K, V = x @ self.W_Q.T, x @ self.W_K.T, x @ self.W_V.T
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return weights @ V, weights


wrong(
    "unscaled",
    "not scaled",
    says="Your scores are not scaled: divide them by √d_k.",
    edit=("K.transpose(-2, -1) / math.sqrt(Q.shape[-1])", "K.transpose(-2, -1)"),
)


wrong(
    "weights-turned",
    says=(
        "You transpose the weights before you multiply by the values: output i is the sum "
        "over j of weight[i, j] times value j, so it is A' V and not A'ᵀ V."
    ),
    edit=("return weights", "return weights.transpose(-2, -1)"),
)


@wrong(
    "zeros",
    "starts from zeros",
    match="starts with the same number everywhere",
    loses=["parameters", "gradients"],
)
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Parameter(torch.zeros(d_model, d_k))
        self.W_K = nn.Parameter(torch.zeros(d_model, d_k))
        self.W_V = nn.Parameter(torch.zeros(d_model, d_v))

    def forward(self, x, mask=None):
        Q, K, V = x @ self.W_Q, x @ self.W_K, x @ self.W_V
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return weights @ V, weights


broken("d_model, d_k) * std)\n        self.W_V", "d_model, d_v) * std)\n        self.W_V")
broken("x @ self.W_K, x @ self.W_V", "x @ self.W_Q, x @ self.W_V")
broken("~mask, -math.inf", "mask, -math.inf")
broken("scores.softmax(dim=-1)", "scores.sigmoid()")
