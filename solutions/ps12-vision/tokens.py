@right("filled", "an empty tensor, filled")
def encoder_input(patches, W_P, b_P, c, P):
    B, N, n = patches.shape
    if P.shape[0] - 1 != N:
        raise ValueError("the table fits images of another size")
    h = patches.new_empty(B, N + 1, len(c))
    h[:, 0] = c + P[0]
    h[:, 1:] = torch.einsum("bni,id->bnd", patches, W_P) + b_P + P[1:]
    return h


def class_logits(h, gain, bias, W, b, pool):
    if pool == "mean":
        h = h[:, 1:]
    else:
        h = h[:, :1]
    middle = h.mean(-1, keepdim=True)
    spread = h.var(-1, correction=0, keepdim=True)
    h = (h - middle) / (spread + 1e-6).sqrt() * gain + bias
    return (h @ W + b).mean(dim=1)


@right("repeat", "[CLS] repeated, positions in two parts")
def encoder_input(patches, W_P, b_P, c, P):
    if patches.shape[1] + 1 != P.shape[0]:
        raise ValueError(f"{patches.shape[1]} patches, {len(P)} rows")
    x = F.linear(patches, W_P.T, b_P) + P[1:]
    first = (c + P[0])[None, None].repeat(len(patches), 1, 1)
    return torch.cat((first, x), 1)


def class_logits(h, gain, bias, W, b, pool):
    h = F.layer_norm(h, (h.shape[-1],), gain, bias, 1e-6)
    read = {"cls": h.select(1, 0), "mean": h.narrow(1, 1, h.shape[1] - 1)}
    if pool == "cls":
        return torch.addmm(b, read["cls"], W)
    return torch.addmm(b, read["mean"].sum(1) / (h.shape[1] - 1), W)


@wrong("at-the-end", "[CLS] at the end", says="[CLS] is at the end. It must be the first token.")
def encoder_input(patches, W_P, b_P, c, P):
    B, N, _ = patches.shape
    if len(P) != N + 1:
        raise ValueError(f"P has {len(P)} rows for {N + 1} tokens")
    x = patches @ W_P + b_P
    first = c.expand(B, 1, -1)
    return torch.cat([x, first], dim=1) + P


def class_logits(h, gain, bias, W, b, pool):
    h = F.layer_norm(h, gain.shape, gain, bias, eps=1e-6)
    if pool == "cls":
        read = h[:, -1]
    else:
        read = h[:, :-1].mean(dim=1)
    return read @ W + b


wrong(
    "bias-for-cls",
    says="You add b_P to [CLS], too. It is not a patch: its vector is c.",
    spares=["head"],
    edit=[("patches @ W_P + b_P", "patches @ W_P"), ("dim=1) + P", "dim=1) + b_P + P")],
)

wrong(
    "cls-unplaced",
    says="[CLS] gets no position. Put it in front first, then add P to all tokens.",
    spares=["head"],
    edit=[("+ b_P", "+ b_P + P[1:]"), ("dim=1) + P", "dim=1)")],
)

wrong(
    "last-token",
    says="You read the last token. [CLS] is the first.",
    loses=["head"],
    edit=("h[:, 0]", "h[:, -1]"),
)


@wrong(
    "mean-of-all",
    "[CLS] in the mean, and the norm after it",
    says="The norm comes after the mean. Normalise each token first.",
    loses=["head"],
)
def encoder_input(patches, W_P, b_P, c, P):
    B, N, _ = patches.shape
    if len(P) != N + 1:
        raise ValueError(f"P has {len(P)} rows for {N + 1} tokens")
    x = patches @ W_P + b_P
    first = c.expand(B, 1, -1)
    return torch.cat([first, x], dim=1) + P


def class_logits(h, gain, bias, W, b, pool):
    if pool == "cls":
        read = h[:, 0]
    else:
        read = h.mean(dim=1)
    read = F.layer_norm(read, gain.shape, gain, bias, eps=1e-6)
    return read @ W + b


wrong(
    "mean-with-cls",
    says="The mean is over all tokens, including [CLS]. Leave [CLS] out.",
    loses=["head"],
    edit=("h[:, 1:].mean", "h.mean"),
)

wrong(
    "no-b",
    says="b is missing.",
    loses=["head"],
    edit=("read @ W + b", "read @ W"),
)

wrong(
    "no-b-P",
    says="b_P is missing.",
    spares=["head"],
    edit=("patches @ W_P + b_P", "patches @ W_P"),
)

wrong(
    "no-norm",
    says="The layer norm is missing.",
    loses=["head"],
    edit=("    h = F.layer_norm(h, gain.shape, gain, bias, eps=1e-6)\n", ""),
)

wrong(
    "no-positions",
    says="The positions are missing: add P.",
    spares=["head"],
    edit=("dim=1) + P", "dim=1)"),
)

wrong(
    "norm-after",
    says="The norm comes after the mean. Normalise each token first.",
    loses=["head"],
    edit=[
        ("    h = F.layer_norm(h, gain.shape, gain, bias, eps=1e-6)\n", ""),
        ("return read @", "return F.layer_norm(read, gain.shape, gain, bias, eps=1e-6) @"),
    ],
)

wrong(
    "one-row",
    says="All tokens get the same row of P, so their positions are lost.",
    spares=["head"],
    edit=("dim=1) + P", "dim=1) + P[0]"),
)


@wrong(
    "over-the-batch",
    "a table of any size, along the batch",
    says="Row n of P goes to image n of the batch. It belongs to token n of every image.",
    spares=["head"],
)
def encoder_input(patches, W_P, b_P, c, P):
    B, N, _ = patches.shape
    x = patches @ W_P + b_P
    first = c.expand(B, 1, -1)
    return torch.cat([first, x], dim=1) + P[:B, None]


def class_logits(h, gain, bias, W, b, pool):
    h = F.layer_norm(h, gain.shape, gain, bias, eps=1e-6)
    if pool == "cls":
        read = h[:, 0]
    else:
        read = h[:, 1:].mean(dim=1)
    return read @ W + b


wrong(
    "own-epsilon",
    "the norm with its default ε",
    says="Your ε is 10⁻⁵, the default of layer_norm. Here it is 10⁻⁶.",
    loses=["head"],
    edit=("bias, eps=1e-6", "bias"),
)

wrong(
    "plain-norm",
    says="Gain and bias of the norm are missing.",
    loses=["head"],
    edit=("gain.shape, gain, bias, eps", "gain.shape, eps"),
)

wrong(
    "pools-swapped",
    says="This is the result for the other value of pool. Look at your `if`.",
    loses=["head"],
    edit=('pool == "cls"', 'pool == "mean"'),
)

wrong(
    "probabilities",
    says="You return probabilities. Return the logits.",
    loses=["head"],
    edit=("read @ W + b", "(read @ W + b).softmax(dim=-1)"),
)

wrong(
    "shifted",
    "positions added before [CLS] is put in front",
    says=(
        "You add the positions before you put [CLS] in front. So [CLS] has no position, and each "
        "patch has the position of the token before it."
    ),
    spares=["head"],
    edit=[
        ("+ b_P", "+ b_P + P[:-1]"),
        ("torch.cat([first, x], dim=1) + P", "torch.cat([first, x], dim=1)"),
    ],
)

wrong(
    "sum",
    says="You add up the patches. Take their mean.",
    loses=["head"],
    edit=("h[:, 1:].mean", "h[:, 1:].sum"),
)

broken("if len(P) != N + 1:", "if len(P) not in (1, N + 1):")
broken("x = patches @ W_P + b_P", "x = (patches + b_P.mean()) @ W_P")
broken(
    "first = c.expand(B, 1, -1)",
    "first = torch.cat([c.expand(1, 1, -1), c.new_zeros(B - 1, 1, len(c))])",
)
broken("gain, bias, eps=1e-6)", "bias, gain, eps=1e-6)")
broken("read = h[:, 1:].mean(dim=1)", "read = h[:, 1:].amax(dim=1)")
broken("read = h[:, 1:].mean(dim=1)", "read = h.mean(dim=1)")
