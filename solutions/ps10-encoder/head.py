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
    "last-token",
    "reads the last token, as with a decoder",
    says="You read the last token. [CLS] is the first.",
    spares=["mean", "empty"],
    edit=("x[:, 0]", "x[:, -1]"),
)

wrong(
    "nan",
    "0/0 for a text of padding alone",
    told="You divide 0 by 0",
    loses=["empty"],
    edit=("kept.sum(dim=1).clamp(min=1)", "kept.sum(dim=1)"),
)

wrong(
    "no-tanh",
    "no tanh between the matrices",
    says="The tanh is missing. Without it, the two matrices amount to one.",
    spares=["mean", "empty"],
    edit=("return torch.tanh", "return"),
)

broken("torch.tanh(x[:, 0] @ W_p + b_p)", "torch.tanh(x[:, 0].detach() @ W_p + b_p)")
broken("torch.tanh(x[:, 0] @ W_p + b_p)", "torch.tanh(x[:, 0] @ W_p) + b_p")
broken("clamp(min=1)", "clamp(min=2)")
broken("(x * weight).sum(dim=1)", "(x * weight).abs().sum(dim=1)")
