@right("loop", "token by token")
class MendedPositions(Positions):
    def forward(self, x, start=0):
        tokens = [x[:, t] + self.table[start + t] for t in range(x.shape[1])]
        return torch.stack(tokens, dim=1)


@right("own-table", "keeps the table the other way round")
class MendedPositions(Positions):
    def __init__(self, codes):
        super().__init__(codes)
        self.table = codes.unsqueeze(0)

    def forward(self, x, start=0):
        places = torch.arange(start, start + x.size(1))
        return torch.index_select(self.table, 1, places) + x


@right("squeezed", "the middle axis taken out")
class MendedPositions(Positions):
    def forward(self, x, start=0):
        return x + self.table.squeeze(1)[start : start + x.shape[-2]]


@right("turned", "turns the tokens to (T, B, d) and back")
class MendedPositions(Positions):
    def forward(self, x, start=0):
        x = x.transpose(0, 1)
        x = x + self.table[start : start + x.shape[0]]
        return x.transpose(0, 1)


@wrong(
    "batch-cut",
    "counts positions over the whole batch",
    match="`MendedPositions` stops with RuntimeError: The size of tensor",
)
class MendedPositions(Positions):
    def forward(self, x, start=0):
        B, T, d = x.shape
        flat = x.reshape(B * T, d)
        return (flat + self.table[start : start + B * T, 0]).view(B, T, d)


@wrong("codes-alone", "gives the codes back", says="You return the codes alone. Add them to x.")
class MendedPositions(Positions):
    def forward(self, x, start=0):
        codes = self.table[start : start + x.shape[1], 0]
        return codes.expand(x.shape)


@wrong(
    "in-place", "adds to the tokens where they are", match="changes its input x", loses=["inputs"]
)
class MendedPositions(Positions):
    def forward(self, x, start=0):
        x += self.table[start : start + x.shape[1], 0]
        return x


@wrong(
    "not-turned-back",
    "comes back tokens first",
    says="Batch and tokens are swapped in your result.",
)
class MendedPositions(Positions):
    def forward(self, x, start=0):
        x = x.transpose(0, 1)
        return x + self.table[start : start + x.shape[0]]


wrong(
    "nothing-added",
    says="You return x unchanged. If you call add, use what it returns: it does not change x.",
    edit=("return x + codes", "x.add(codes)\n        return x"),
)


@wrong(
    "one-code",
    "one code for the whole text",
    says="All tokens get the code of the first one. Each token gets the code of its own position.",
)
class MendedPositions(Positions):
    def forward(self, x, start=0):
        return x + self.table[start]


@wrong(
    "only-length",
    "the right number of codes along the wrong axis",
    says=(
        "Every token of a sequence gets the same code, chosen by the sequence's number in "
        "the batch. Along which axis of x does your table run?"
    ),
)
class MendedPositions(Positions):
    def forward(self, x, start=0):
        return x + self.table[start : start + x.shape[1]]


@wrong(
    "reshaped",
    "reshapes instead of turning",
    says=(
        "Your tokens get each other's codes: `.reshape(T, B, d)` does not swap the axes. "
        "Use `.transpose(0, 1)`, or leave x as it is."
    ),
    spares=["order", "inputs"],
)
class MendedPositions(Positions):
    def forward(self, x, start=0):
        B, T, d = x.shape
        x = x.reshape(T, B, d) + self.table[start : start + T]
        return x.reshape(B, T, d)


@wrong(
    "square-only",
    "turns the axes if it fits",
    says=(
        "Every token of a sequence gets the same code, chosen by the sequence's number in "
        "the batch. Along which axis of x does your table run?"
    ),
)
class MendedPositions(Positions):
    def forward(self, x, start=0):
        if x.shape[0] < x.shape[1]:
            return x + self.table[start : start + x.shape[0]]
        return x + self.table[start : start + x.shape[1], 0]


wrong(
    "squeezed-away",
    "puts the batch axis at the end of the codes",
    match="`MendedPositions` stops with RuntimeError: The size of tensor",
    edit=(
        "T = x.shape[1]\n        codes = self.table[start : start + T, 0]",
        "codes = self.table[start : start + x.shape[1]].transpose(1, 2)",
    ),
)


wrong(
    "start-as-length",
    "start read as the end",
    says="You use `start` as the end of the piece. The first token is at position `start`.",
    loses=["start"],
    edit=(
        ("codes = self.table[start : start + T, 0]  # (T, d)\n        return x + codes"),
        ("end = start or T\n        return x + self.table[end - T : end, 0]"),
    ),
)


@wrong(
    "start-forgotten",
    "always from position 0",
    says="The first token gets the code of position 0. It is at position `start`.",
    loses=["start"],
)
class MendedPositions(Positions):
    def forward(self, x, start=0):
        return x + self.table[: x.shape[1], 0]


@wrong(
    "unchanged",
    "the published code as it was",
    says=(
        "Every token of a sequence gets the same code, chosen by the sequence's number in "
        "the batch. Along which axis of x does your table run?"
    ),
)
class MendedPositions(Positions):
    pass


broken("T = x.shape[1]", "T = x.shape[2]")
broken("[start : start + T, 0]", "[start : start + T, 0].flip(0)")
broken("[start : start + T, 0]", "[:T, 0].roll(start, 0)")
broken("return x + codes", "return x + codes.mean(0)")
