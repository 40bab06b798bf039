@right("chunks", "cut into pieces, stacked and put together again")
def split_heads(x, heads):
    return torch.stack(x.chunk(heads, dim=-1), dim=1)


def merge_heads(x):
    return torch.cat(x.unbind(dim=1), dim=-1)


@right("einsum", "the axes by name")
def split_heads(x, heads):
    x = x.view(x.shape[0], x.shape[1], heads, -1)
    return torch.einsum("bthk->bhtk", x)


def merge_heads(x):
    return torch.einsum("bhtk->bthk", x).contiguous().view(x.shape[0], x.shape[2], -1)


@right("slices", "head by head into an empty tensor")
def split_heads(x, heads):
    K = x.shape[2] // heads
    out = x.new_empty(x.shape[0], heads, x.shape[1], K)
    for h in range(heads):
        out[:, h] = x[:, :, h * K : (h + 1) * K]
    return out


def merge_heads(x):
    B, H, T, K = x.shape
    out = x.new_empty(B, T, H * K)
    for h in range(H):
        out[:, :, h * K : (h + 1) * K] = x[:, h]
    return out


@right("unflatten", "unflatten and flatten")
def split_heads(x, heads):
    return x.unflatten(-1, (heads, -1)).movedim(2, 1)


def merge_heads(x):
    return x.permute(0, 2, 1, 3).flatten(2)


wrong(
    "added-up",
    "merges by adding the heads up",
    says="You add the heads up. Put them side by side.",
    loses=["merge", "order"],
    edit=("x.transpose(1, 2).reshape(B, T, H * K)", "x.sum(dim=1)"),
)

wrong(
    "averaged",
    says="You average the heads. Put them side by side.",
    loses=["merge", "order"],
    edit=("x.transpose(1, 2).reshape(B, T, H * K)", "x.mean(dim=1)"),
)

wrong(
    "batch-of-one",
    says=(
        "You drop the batch axis if there is one sequence. The heads are (B, H, T, K) for any B: "
        "leave out squeeze()."
    ),
    spares=["merge"],
    edit=(
        "x.reshape(B, T, heads, D // heads).transpose(1, 2)",
        "x.view(B, T, heads, D // heads).transpose(1, 2).squeeze(0)",
    ),
)

wrong(
    "columns-as-rows",
    "each head transposed, as the scores need the keys",
    says="Inside each head, tokens and columns are swapped, (B, H, K, T). Tokens are rows.",
    spares=["merge"],
    edit=(
        "x.reshape(B, T, heads, D // heads).transpose(1, 2)",
        "x.view(B, T, heads, D // heads).permute(0, 2, 3, 1)",
    ),
)


@wrong(
    "floats",
    "makes 32-bit floats of everything",
    match="float32, it must be",
    spares=["merge"],
)
def split_heads(x, heads):
    B, T, D = x.shape
    return torch.stack(
        [x[..., h * (D // heads) : (h + 1) * (D // heads)].float() for h in range(heads)], 1
    )


def merge_heads(x):
    B, H, T, K = x.shape
    return x.transpose(1, 2).reshape(B, T, H * K)


wrong(
    "heads-behind",
    "leaves the heads behind the tokens",
    says=(
        "Your heads come after the tokens, (B, T, H, K), or you merge them as if they did. "
        "A matrix product treats all axes but the last two as batch axes, so the heads must "
        "come before the tokens."
    ),
    edit=[
        ("reshape(B, T, heads, D // heads).transpose(1, 2)", "view(B, T, heads, D // heads)"),
        ("transpose(1, 2).reshape(B, T, H * K)", "reshape(B, H, T * K)"),
    ],
)


wrong(
    "heads-first",
    "the heads before the batch",
    says="Your heads come before the batch, (H, B, T, K). The batch comes first: (B, H, T, K).",
    spares=["merge"],
    edit=(
        "x.reshape(B, T, heads, D // heads).transpose(1, 2)",
        "x.view(B, T, heads, D // heads).permute(2, 0, 1, 3)",
    ),
)

wrong(
    "interleaved",
    "every H-th column for a head, both ways",
    says=(
        "Each of your heads has every H-th column. Head ℓ has K neighbouring columns, from "
        "ℓ·K on: in the last axis, the heads come first and the columns of a head second."
    ),
    edit=[
        (
            "x.reshape(B, T, heads, D // heads).transpose(1, 2)",
            "x.view(B, T, D // heads, heads).permute(0, 3, 1, 2)",
        ),
        ("x.transpose(1, 2).reshape", "x.permute(0, 2, 3, 1).reshape"),
    ],
)

wrong(
    "merge-straight",
    "merges without exchanging the axes",
    says=(
        "Your heads mix tokens if you reshape (B, T, D) straight to (B, H, T, K), and your "
        "tokens mix if you reshape (B, H, T, K) straight to (B, T, D). To split, reshape to "
        "(B, T, H, K), then swap the axes of tokens and heads. To merge, swap them first."
    ),
    loses=["merge", "order"],
    edit=("x.transpose(1, 2).reshape", "x.reshape"),
)

wrong(
    "no-return",
    "split_heads forgets the return",
    match="nothing comes back",
    spares=["merge"],
    edit=("return x.reshape", "x = x.reshape"),
)

wrong(
    "not-flattened",
    "the heads keep an axis",
    says="Your heads still have their own axis, (B, T, H, K). Merge the last two axes into one.",
    loses=["merge", "order"],
    edit=("x.transpose(1, 2).reshape(B, T, H * K)", "x.transpose(1, 2)"),
)

wrong(
    "one-below-the-other",
    "the heads become further tokens",
    says=(
        "Your heads are stacked as if they were further tokens. Put them side by side, in "
        "the columns."
    ),
    loses=["merge", "order"],
    edit=("x.transpose(1, 2).reshape(B, T, H * K)", "x.reshape(B, H * T, K)"),
)

wrong(
    "shape-changed-in-place",
    "gives the input itself another shape",
    match="changes its input x",
    loses=["order"],
    edit=(
        "return x.reshape(B, T, heads, D // heads).transpose(1, 2)",
        "x.resize_(B, T, heads, D // heads)\n    return x.transpose(1, 2)",
    ),
)

wrong(
    "split-straight",
    "splits without exchanging the axes",
    says=(
        "Your heads mix tokens if you reshape (B, T, D) straight to (B, H, T, K), and your "
        "tokens mix if you reshape (B, H, T, K) straight to (B, T, D). To split, reshape to "
        "(B, T, H, K), then swap the axes of tokens and heads. To merge, swap them first."
    ),
    spares=["merge"],
    edit=("x.reshape(B, T, heads, D // heads).transpose(1, 2)", "x.view(B, heads, T, D // heads)"),
)

wrong(
    "straight",
    "counts the numbers off anew, both ways: there and back is the same",
    says=(
        "Your heads mix tokens if you reshape (B, T, D) straight to (B, H, T, K), and your "
        "tokens mix if you reshape (B, H, T, K) straight to (B, T, D). To split, reshape to "
        "(B, T, H, K), then swap the axes of tokens and heads. To merge, swap them first."
    ),
    edit=[
        ("x.reshape(B, T, heads, D // heads).transpose(1, 2)", "x.view(B, heads, T, D // heads)"),
        ("x.transpose(1, 2).reshape", "x.reshape"),
    ],
)

wrong(
    "transposed-first",
    "exchanges tokens and columns before the split",
    says=(
        "You swap tokens and columns before the split, so a head takes its numbers from "
        "several tokens. Split the last axis first."
    ),
    spares=["merge"],
    edit=(
        "x.reshape(B, T, heads, D // heads).transpose(1, 2)",
        "x.transpose(1, 2).reshape(B, heads, T, D // heads)",
    ),
)

wrong(
    "view-after-transpose",
    "view of a tensor that is not contiguous",
    match="view size is not compatible",
    loses=["merge", "order"],
    edit=("x.transpose(1, 2).reshape", "x.transpose(1, 2).view"),
)

broken(
    "x.reshape(B, T, heads, D // heads).transpose(1, 2)",
    "x.reshape(B, T, heads, D // heads).flip(2).transpose(1, 2)",
)
broken(
    "return x.transpose(1, 2).reshape(B, T, H * K)", "return x.transpose(0, 2).reshape(B, T, H * K)"
)
broken(
    "return x.reshape(B, T, heads, D // heads).transpose(1, 2)",
    "return x.reshape(B, T, heads, D // heads).roll(1, 3).transpose(1, 2)",
)
broken(
    "return x.transpose(1, 2).reshape(B, T, H * K)",
    "return x.transpose(1, 2).abs().reshape(B, T, H * K)",
)
