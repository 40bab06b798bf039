@right("booleans", "boolean masks and a head axis in place of fold and look")
class MendedWriter(Writer):
    def attend(self, q, k, v, mask):
        q, k, v = (x.unflatten(2, (self.heads, -1)).transpose(1, 2) for x in (q, k, v))
        scores = q @ k.mT * q.shape[-1] ** -0.5
        weights = torch.where(mask, scores, -math.inf).softmax(-1)
        return (weights @ v).transpose(1, 2).flatten(2)

    def forward(self, x, source, lengths, past=None):
        read = x if past is None else torch.cat([past, x], dim=1)
        T, S = x.shape[1], read.shape[1]
        causal = torch.ones(T, S, dtype=torch.bool).tril(S - T)
        y = x + self.attend(x @ self.W_Q, read @ self.W_K, read @ self.W_V, causal)
        real = (torch.arange(source.shape[1]) < lengths[:, None])[:, None, None]
        z = self.attend(y @ self.U_Q, source @ self.U_K, source @ self.U_V, real)
        return y + z, read


@right("one-at-a-time", "a loop in which each word looks at what is before it")
class MendedWriter(Writer):
    def forward(self, x, source, lengths, past=None):
        read = x[:, :0] if past is None else past
        outputs = []
        for t in range(x.shape[1]):
            word = x[:, t : t + 1]
            read = torch.cat([read, word], dim=1)
            y = word + self.look(word @ self.W_Q, read @ self.W_K, read @ self.W_V)
            z = self.look(y @ self.U_Q, source @ self.U_K, source @ self.U_V, lengths[:, None])
            outputs.append(y + z)
        return torch.cat(outputs, dim=1), read


@right("past-counted", "the words of past are counted")
class MendedWriter(Writer):
    def forward(self, x, source, lengths, past=None):
        seen, read = 0, x
        if past is not None:
            seen, read = past.shape[1], torch.cat((past, x), 1)
        counts = torch.arange(x.shape[1]).repeat(len(x), 1) + seen + 1
        y = self.look(x @ self.W_Q, read @ self.W_K, read @ self.W_V, counts) + x
        words = lengths.repeat(x.shape[1], 1).T
        z = self.look(y @ self.U_Q, source @ self.U_K, source @ self.U_V, words)
        return y + z, read


@right("plain", "the steps that the wrong answers below change", edited=True)
class MendedWriter(Writer):
    def forward(self, x, source, lengths, past=None):
        B, T, _ = x.shape
        read = x if past is None else torch.cat([past, x], dim=1)
        counts = (read.shape[1] - T + torch.arange(1, T + 1)).expand(B, T)
        Q, K, V = x @ self.W_Q, read @ self.W_K, read @ self.W_V
        y = x + self.look(Q, K, V, counts)
        words = lengths[:, None].expand(B, T)
        Q, K, V = y @ self.U_Q, source @ self.U_K, source @ self.U_V
        return y + self.look(Q, K, V, words), read


@wrong(
    "last-word-alone",
    "gives the outputs of the last word alone",
    match=r"one for each word of x: shape \(2, 1, 4\), it must be \(2, 4, 4\)",
)
class MendedWriter(Writer):
    def forward(self, x, source, lengths, past=None):
        read = x if past is None else torch.cat([past, x], dim=1)
        last = read[:, -1:]
        y = last + self.look(last @ self.W_Q, read @ self.W_K, read @ self.W_V)
        z = self.look(y @ self.U_Q, source @ self.U_K, source @ self.U_V, lengths[:, None])
        return y + z, read


wrong(
    "mask-without-past",
    "no mask as soon as there is a past",
    match="looks ahead within its piece",
    loses=["reading-on"],
    edit=(
        "counts = (read.shape[1] - T + torch.arange(1, T + 1)).expand(B, T)",
        "counts = torch.arange(1, T + 1).expand(B, T) if past is None else None",
    ),
)

wrong(
    "next-seen",
    says=(
        "Your count is one too many: each word sees the next, too. Word i of x sees all of past, "
        "and x up to itself."
    ),
    spares=["source", "mode"],
    edit=("1, T + 1", "2, T + 2"),
)

wrong("no-return", "forgets the return", match="got nothing", edit=("return y", "y = y"))

wrong(
    "no-shift",
    "masks in both modes, and forgets what was read before",
    match="when word 1 of past changes",
    loses=["reading-on"],
    edit=(
        "counts = (read.shape[1] - T + torch.arange(1, T + 1)).expand",
        "counts = torch.arange(1, T + 1).expand",
    ),
)

wrong(
    "output-alone",
    "gives the outputs alone",
    match="got one tensor",
    edit=("self.look(Q, K, V, words), read", "self.look(Q, K, V, words)"),
)

wrong(
    "past-forgotten",
    says=(
        "You return only the new words as read so far. Return past and the new words together: "
        "they are the next call's past."
    ),
    loses=["reading-on", "source"],
    edit=("self.look(Q, K, V, words), read", "self.look(Q, K, V, words), x"),
)

wrong(
    "self-hidden",
    "hides each word from itself, so the first sees nothing",
    says=(
        "Your mask hides each word from itself. The first then sees nothing, and its softmax is "
        "0/0: let word i see word i, too."
    ),
    edit=("1, T + 1", "T"),
)

wrong(
    "source-causal",
    "hides the source's words as if they were still to come",
    says=(
        "You hide later words of the source. All of it is known from the beginning, so it needs no "
        "causal mask."
    ),
    edit=(
        "lengths[:, None].expand(B, T)",
        "torch.minimum(lengths[:, None], torch.arange(1, T + 1))",
    ),
)

wrong(
    "source-mask-in-training",
    "both masks in training alone",
    match="source's padding changes",
    edit=[
        (
            "counts = (read.shape[1] - T + torch.arange(1, T + 1)).expand(B, T)",
            "counts = torch.arange(1, T + 1).expand(B, T) if self.training else None",
        ),
        (
            "lengths[:, None].expand(B, T)",
            "lengths[:, None].expand(B, T) if self.training else None",
        ),
    ],
)

wrong(
    "source-padding-seen",
    says="You do not hide the source's padding: lengths says how many positions are words.",
    loses=["source", "same"],
    edit=("lengths[:, None].expand(B, T)", "None"),
)


@wrong(
    "stays-in-train",
    "puts itself into training mode for good",
    match="was in eval mode before the call",
    loses=["mode"],
)
class MendedWriter(Writer):
    def forward(self, x, source, lengths, past=None):
        self.train()
        if past is None:
            return super().forward(x, source, lengths)
        P = past.shape[1]
        read = torch.cat([past, x], dim=1)
        return super().forward(read, source, lengths)[0][:, P:], read


@wrong(
    "swapped-modes",
    says="You mask in eval mode only. Mask in both modes.",
    loses=["train", "reading-on", "same"],
)
class MendedWriter(Writer):
    def forward(self, x, source, lengths, past=None):
        B, T, _ = x.shape
        read = x if past is None else torch.cat([past, x], dim=1)
        counts = (
            None if self.training else (read.shape[1] - T + torch.arange(1, T + 1)).expand(B, T)
        )
        Q, K, V = x @ self.W_Q, read @ self.W_K, read @ self.W_V
        y = x + self.look(Q, K, V, counts)
        words = lengths[:, None].expand(B, T)
        Q, K, V = y @ self.U_Q, source @ self.U_K, source @ self.U_V
        return y + self.look(Q, K, V, words), read


@wrong(
    "unchanged",
    "the published code as it was",
    says="You mask in training only. A whole sentence may come in eval mode, too: mask in both.",
    loses=["eval", "reading-on", "same"],
)
class MendedWriter(Writer):
    pass


broken("torch.arange(S - T + 1, S + 1)", "torch.arange(S, S + T)")
broken("[past, x], dim=1", "[x, past], dim=1")
broken("y = x + self.look(", "y = self.look(")
broken("words = lengths[:, None].expand(B, T)", "words = lengths.flip(0)[:, None].expand(B, T)")
broken(
    "words = lengths[:, None].expand(B, T)",
    "words = lengths.clone()[:, None].expand(B, T); source.zero_()",
)
