@right("one-at-a-time", "a loop in which each token looks at what is before it")
class MendedReader(Reader):
    def forward(self, x, past=None):
        read = past if past is not None else x[:, :0]
        outputs = []
        for t in range(x.shape[1]):
            token = x[:, t : t + 1]
            read = torch.cat([read, token], dim=1)
            q, K, V = token @ self.W_Q, read @ self.W_K, read @ self.W_V
            weights = (q @ K.transpose(1, 2) / math.sqrt(q.shape[-1])).softmax(-1)
            outputs.append(weights @ V)
        return torch.cat(outputs, dim=1), read


@right("tril", "a lower triangle shifted by the number of tokens already read")
class MendedReader(Reader):
    def forward(self, x, past=None):
        read = x if past is None else torch.cat([past, x], dim=1)
        Q, K, V = x @ self.W_Q, read @ self.W_K, read @ self.W_V
        T, S = x.shape[1], read.shape[1]
        seen = torch.ones(T, S, dtype=torch.bool).tril(S - T)
        scores = Q @ K.mT / Q.shape[-1] ** 0.5
        weights = torch.where(seen, scores, -math.inf).softmax(-1)
        return weights @ V, read


@right("plain", "the steps that the wrong answers below change", edited=True)
class MendedReader(Reader):
    def forward(self, x, past=None):
        read = x if past is None else torch.cat([past, x], dim=1)
        Q, K, V = x @ self.W_Q, read @ self.W_K, read @ self.W_V
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        T, S = scores.shape[-2:]
        later = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
        scores = scores.masked_fill(later, -math.inf)
        return scores.softmax(dim=-1) @ V, read


@wrong(
    "mask-swapped",
    says="You mask in eval mode only. Mask in both modes.",
)
class MendedReader(Reader):
    def forward(self, x, past=None):
        read = x if past is None else torch.cat([past, x], dim=1)
        Q, K, V = x @ self.W_Q, read @ self.W_K, read @ self.W_V
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        if not self.training:
            T, S = scores.shape[-2:]
            later = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
            scores = scores.masked_fill(later, -math.inf)
        return scores.softmax(dim=-1) @ V, read


@wrong(
    "masked-without-past",
    says=(
        "With past given, your tokens look ahead within their piece: mask x then, too. Token i of "
        "x sees all of past, and x up to itself."
    ),
    loses=["reading-on"],
)
class MendedReader(Reader):
    def forward(self, x, past=None):
        read = x if past is None else torch.cat([past, x], dim=1)
        Q, K, V = x @ self.W_Q, read @ self.W_K, read @ self.W_V
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        if past is None:
            T = x.shape[1]
            later = torch.ones(T, T, dtype=torch.bool).triu(diagonal=1)
            scores = scores.masked_fill(later, -math.inf)
        return scores.softmax(dim=-1) @ V, read


wrong(
    "no-shift",
    says=(
        "Your mask is not shifted by past: it counts token i of x as the i-th of all tokens. With "
        "P tokens in past it is number P + i, and sees keys up to that one."
    ),
    loses=["reading-on"],
    edit=(
        (
            "T, S = scores.shape[-2:]\n"
            "        later = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)"
        ),
        "later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)",
    ),
)


wrong(
    "past-forgotten",
    says=(
        "You return only the new tokens as read so far. Return past and the new tokens together: "
        "they are the next call's past."
    ),
    loses=["reading-on"],
    edit=("V, read", "V, x"),
)

wrong(
    "self-hidden",
    "hides each token from itself, so the first sees nothing",
    says=(
        "Your mask hides each token from itself. The first then sees nothing, and its softmax is "
        "0/0: let token i see token i, too."
    ),
    edit=("T + 1", "T"),
)


wrong(
    "square-mask",
    "masks in both modes, but knows nothing of what was read before",
    match="stops with RuntimeError",
    loses=["reading-on"],
    edit=(
        (
            "T, S = scores.shape[-2:]\n"
            "        later = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)"
        ),
        ("T = x.shape[1]\n        later = torch.ones(T, T, dtype=torch.bool).triu(diagonal=1)"),
    ),
)


@wrong(
    "switches-mode",
    "puts itself into training mode for good",
    match="was in eval mode before the call",
    loses=["mode"],
)
class MendedReader(Reader):
    def forward(self, x, past=None):
        self.train()
        read = x if past is None else torch.cat([past, x], dim=1)
        Q, K, V = x @ self.W_Q, read @ self.W_K, read @ self.W_V
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        if self.training:
            T, S = scores.shape[-2:]
            seen = torch.ones(T, S, dtype=torch.bool).tril(S - T)
            scores = scores.masked_fill(~seen, -math.inf)
        return scores.softmax(dim=-1) @ V, read


@wrong(
    "unchanged",
    "the published code as it was",
    says="You mask in training only. A whole text may come in eval mode, too: mask in both.",
)
class MendedReader(Reader):
    pass


broken("torch.arange(S - T, S)", "torch.arange(T)")
broken("torch.arange(S) > place", "torch.arange(S) >= place + 2")
broken("[past, x], dim=1", "[x, past], dim=1")
