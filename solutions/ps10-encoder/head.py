@right("einsum", "einsum, a mean of what is filled with 0")
def cls_logits(x, W_p, b_p, W_c, b_c):
    cls = x.select(1, 0)
    pooled = (torch.einsum("bd,dk->bk", cls, W_p) + b_p).tanh()
    return torch.einsum("bk,kc->bc", pooled, W_c) + b_c


def mean_of_real(x, real):
    n = real.sum(dim=1, keepdim=True).clamp(min=1)
    return x.masked_fill(~real[:, :, None], 0).sum(dim=1) / n


@right("loop", "text by text; the mean as a product with weights")
def cls_logits(x, W_p, b_p, W_c, b_c):
    rows = [torch.tanh(text[0] @ W_p + b_p) @ W_c + b_c for text in x]
    return torch.stack(rows)


def mean_of_real(x, real):
    rows = []
    for text, mask in zip(x, real):
        if mask.any():
            weights = mask.to(x.dtype) / mask.sum()
            rows.append(weights @ text)
        else:
            rows.append(torch.zeros_like(text[0]))
    return torch.stack(rows)


@right("plain", "the steps that the wrong answers below change", edited=True)
def cls_logits(x, W_p, b_p, W_c, b_c):
    return torch.tanh(x[:, 0] @ W_p + b_p) @ W_c + b_c


def mean_of_real(x, real):
    kept = real.unsqueeze(-1)
    return (x * kept).sum(dim=1) / kept.sum(dim=1).clamp(min=1)


@wrong(
    "all-places",
    "divides by all positions",
    says=(
        "Your sum leaves out the padding, but you divide by all positions. Divide by the "
        "number of real tokens."
    ),
    spares=["cls", "empty"],
)
def cls_logits(x, W_p, b_p, W_c, b_c):
    return torch.tanh(x[:, 0] @ W_p + b_p) @ W_c + b_c


def mean_of_real(x, real):
    return (x * real.unsqueeze(-1)).mean(dim=1)


wrong(
    "b-after-tanh",
    says="You add b_p after the tanh. Add it before the tanh.",
    spares=["mean", "empty"],
    edit=("torch.tanh(x[:, 0] @ W_p + b_p)", "(torch.tanh(x[:, 0] @ W_p) + b_p)"),
)

wrong(
    "every-token",
    says="You return the logits of every token. Return those of [CLS] alone.",
    spares=["mean", "empty"],
    edit=("x[:, 0] @", "x @"),
)

wrong(
    "last-token",
    "reads the last token, as with a decoder",
    says="You read the last token. [CLS] is the first.",
    spares=["mean", "empty"],
    edit=("x[:, 0]", "x[:, -1]"),
)

wrong(
    "mean-of-all",
    says="You read the mean of all tokens. This head reads only [CLS], the first token.",
    spares=["mean", "empty"],
    edit=("x[:, 0]", "x.mean(dim=1)"),
)

wrong(
    "nan",
    "0/0 for a text of padding alone",
    match="You divide 0 by 0",
    loses=["empty"],
    edit=("kept.sum(dim=1).clamp(min=1)", "kept.sum(dim=1)"),
)

wrong(
    "no-b-c",
    says="b_c is missing.",
    spares=["mean", "empty"],
    edit=(" + b_c", ""),
)

wrong(
    "no-b-p",
    says="b_p is missing.",
    spares=["mean", "empty"],
    edit=(" + b_p", ""),
)

wrong(
    "no-first",
    says="You leave out the first token. [CLS] is a real token here.",
    spares=["cls"],
    edit=("real.unsqueeze(-1)", "real.unsqueeze(-1).clone()\n    kept[:, 0] = False"),
)

wrong(
    "no-tanh",
    "no tanh between the matrices",
    says="The tanh is missing. Without it, the two matrices amount to one.",
    spares=["mean", "empty"],
    edit=("return torch.tanh", "return"),
)

wrong(
    "of-batch",
    says=(
        "You divide by the number of real tokens in the whole batch. Divide each text by its own "
        "number."
    ),
    spares=["cls", "empty"],
    edit=("kept.sum(dim=1).clamp", "kept.sum().clamp"),
)

wrong(
    "over-batch",
    says="Your mean runs over the whole batch. Return one vector for each text.",
    spares=["cls"],
    edit=(
        "(x * kept).sum(dim=1) / kept.sum(dim=1).clamp(min=1)",
        "(x * kept).sum(dim=(0, 1)) / kept.sum().clamp(min=1)",
    ),
)

wrong(
    "padding",
    says="Your mean includes padding. Take it over the real tokens alone.",
    spares=["cls"],
    edit=("(x * kept).sum(dim=1) / kept.sum(dim=1).clamp(min=1)", "x.mean(dim=1)"),
)

wrong(
    "padding-alone",
    says="You average the padding instead of the real tokens. True = a real token.",
    spares=["cls"],
    edit=("real.unsqueeze(-1)", "~real.unsqueeze(-1)"),
)

wrong(
    "padding-in-sum",
    says="Padding is still in your sum, though you divide by the number of real tokens.",
    spares=["cls"],
    edit=("(x * kept).sum(dim=1)", "x.sum(dim=1)"),
)

wrong(
    "pooled",
    says="You return the pooled vector. Multiply it by the second matrix to get the logits.",
    spares=["mean", "empty"],
    edit=(" @ W_c + b_c", ""),
)

wrong(
    "softmax",
    says="You return probabilities. Return the logits.",
    spares=["mean", "empty"],
    edit=(
        "return torch.tanh(x[:, 0] @ W_p + b_p) @ W_c + b_c",
        "logits = torch.tanh(x[:, 0] @ W_p + b_p) @ W_c + b_c\n    return logits.softmax(dim=-1)",
    ),
)

wrong(
    "sum",
    says="This is the sum. Divide it by the number of real tokens.",
    spares=["cls"],
    edit=(" / kept.sum(dim=1).clamp(min=1)", ""),
)

wrong(
    "tanh-at-end",
    says="The tanh comes after the second matrix. It belongs between the two.",
    spares=["mean", "empty"],
    edit=(
        "torch.tanh(x[:, 0] @ W_p + b_p) @ W_c + b_c",
        "torch.tanh((x[:, 0] @ W_p + b_p) @ W_c + b_c)",
    ),
)

wrong(
    "transposed",
    says="W_p is transposed: tokens are rows, so it is x W_p.",
    spares=["mean", "empty"],
    edit=("x[:, 0] @ W_p", "x[:, 0] @ W_p.T"),
)

broken("torch.tanh(x[:, 0] @ W_p + b_p)", "torch.tanh(x[:, 0].detach() @ W_p + b_p)")
broken("torch.tanh(x[:, 0] @ W_p + b_p)", "torch.tanh(x[:, 0] @ W_p) + b_p")
broken("clamp(min=1)", "clamp(min=2)")
broken("(x * weight).sum(dim=1)", "(x * weight).abs().sum(dim=1)")
