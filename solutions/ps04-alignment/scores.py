@right("concat", "one tall matrix for both, side by side")
def additive_scores(s, H, W_a, U_a, v_a):
    S = H.shape[1]
    both = torch.cat([s[:, None].expand(-1, S, -1), H], dim=-1)
    return torch.tanh(both @ torch.cat([W_a, U_a])) @ v_a


def general_scores(s, H, W):
    return torch.einsum("bi,ij,bsj->bs", s, W, H)


@right("loops", "sentence by sentence and word by word")
def additive_scores(s, H, W_a, U_a, v_a):
    rows = []
    for query, states in zip(s, H):
        rows.append(torch.stack([(query @ W_a + h @ U_a).tanh() @ v_a for h in states]))
    return torch.stack(rows)


def general_scores(s, H, W):
    return torch.stack([states @ (query @ W) for query, states in zip(s, H)])


@right("source-first", "the source goes through W instead of the query")
def additive_scores(s, H, W_a, U_a, v_a):
    hidden = (H @ U_a).transpose(0, 1) + s @ W_a
    return (hidden.tanh() * v_a).sum(dim=-1).T


def general_scores(s, H, W):
    return ((H @ W.T) * s.unsqueeze(1)).sum(dim=2)


wrong(
    "all-sentences",
    "each query meets all sentences",
    says=(
        "Each query meets the states of all sentences. The query of sentence b must meet "
        "only the states of sentence b."
    ),
    spares=["additive"],
    edit=("return (H @ query[:, :, None])[:, :, 0]", "return query @ H.transpose(1, 2)"),
)

wrong(
    "detached",
    "the query is cut off from the gradient",
    match="reaches s",
    loses=["gradients"],
    edit=("s @ W_a", "s.detach() @ W_a"),
)

wrong(
    "dot",
    "the matrix left out",
    says="W is missing from your scores: s · h is the dot-product score.",
    spares=["additive"],
    edit=("query = s @ W", "query = s"),
)

wrong(
    "float32",
    "everything in 32 bits",
    match="float32",
    loses=["precision"],
    edit=(
        "torch.tanh(asked + memory) @ v_a",
        "torch.tanh(asked.float() + memory.float()) @ v_a.float()",
    ),
)

wrong(
    "general-no-axis",
    "the query of the general score gets no axis",
    says=(
        "Your queries run along the positions of the source: position j of every sentence "
        "gets the query of sentence j. Give the query an axis for the source, (B, 1, ...), "
        "so that query b meets all states of sentence b."
    ),
    spares=["additive"],
    edit=("return (H @ query[:, :, None])[:, :, 0]", "return (query * H).sum(dim=-1)"),
)

wrong(
    "general-scaled",
    "general scores divided by the root of the width",
    says="You divide your scores by the root of a width. Do not scale them here.",
    spares=["additive"],
    edit=(
        "return (H @ query[:, :, None])[:, :, 0]",
        "return (H @ query[:, :, None])[:, :, 0] / math.sqrt(H.shape[-1])",
    ),
)

wrong(
    "general-softmaxed",
    says="Your scores have been through a softmax. Return the scores themselves.",
    spares=["additive"],
    edit=(
        "return (H @ query[:, :, None])[:, :, 0]",
        "return (H @ query[:, :, None])[:, :, 0].softmax(dim=-1)",
    ),
)


wrong(
    "general-tanh",
    "a tanh around the general score",
    says="The general score has no tanh. That belongs to the additive score.",
    spares=["additive"],
    edit=(
        "return (H @ query[:, :, None])[:, :, 0]",
        "return torch.tanh((H @ query[:, :, None])[:, :, 0])",
    ),
)

wrong(
    "multiplied",
    "the two parts multiplied",
    says=(
        "Your code multiplies the two parts. The score is called additive because they are added."
    ),
    spares=["general"],
    edit=("+ memory", "* memory"),
)

wrong(
    "no-axis",
    "the query gets no axis for the source",
    says=(
        "Your queries run along the positions of the source: position j of every sentence "
        "gets the query of sentence j. Give the query an axis for the source, (B, 1, ...), "
        "so that query b meets all states of sentence b."
    ),
    spares=["general"],
    edit=("asked = (s @ W_a)[:, None, :]", "asked = s @ W_a"),
)

wrong(
    "no-query",
    "the query left out",
    says="The query is missing from your scores: they do not depend on the decoder's state.",
    spares=["general"],
    edit=("asked + memory", "memory"),
)

wrong(
    "no-source",
    "the source left out",
    says=("The states of the source are missing from your scores: all of them get the same score."),
    spares=["general"],
    edit=("torch.tanh(asked + memory) @ v_a", "(torch.tanh(asked) @ v_a).expand(H.shape[:2])"),
)

wrong(
    "no-tanh",
    "no tanh: the query then moves all its scores alike",
    says=(
        "The tanh is missing. Without it the query adds the same number to all of its "
        "scores, which the softmax cancels."
    ),
    spares=["general"],
    edit=("return torch.tanh", "return"),
)

wrong(
    "no-v",
    "v_a left out",
    says="v_a is missing: your code adds up the hidden numbers with equal weights.",
    spares=["general"],
    edit=("torch.tanh(asked + memory) @ v_a", "torch.tanh(asked + memory).sum(dim=-1)"),
)

wrong(
    "not-summed",
    "the products are not added up",
    says="The products are not summed: a score is a dot product, one number.",
    spares=["additive"],
    edit=("return (H @ query[:, :, None])[:, :, 0]", "return H * query[:, None]"),
)

wrong(
    "scaled",
    "additive scores divided by the root of a width",
    says="You divide your scores by the root of a width. Do not scale them here.",
    spares=["general"],
    edit=(
        "torch.tanh(asked + memory) @ v_a",
        "torch.tanh(asked + memory) @ v_a / math.sqrt(len(v_a))",
    ),
)

wrong(
    "sigmoid",
    says="You use the sigmoid. The formula has the tanh.",
    spares=["general"],
    edit=("torch.tanh", "torch.sigmoid"),
)

wrong(
    "softmaxed",
    "a softmax over the scores",
    says="Your scores have been through a softmax. Return the scores themselves.",
    spares=["general"],
    edit=("torch.tanh(asked + memory) @ v_a", "(torch.tanh(asked + memory) @ v_a).softmax(dim=-1)"),
)

wrong(
    "squeezed",
    says=(
        "You drop the source's axis if it has one word. The scores are (B, S) for any S: take "
        "away the last axis alone."
    ),
    spares=["additive"],
    edit=("return (H @ query[:, :, None])[:, :, 0]", "return (H @ query[:, :, None]).squeeze()"),
)

wrong(
    "tanh-each",
    "a tanh of each part",
    says="You take a tanh of each part and add the two. Take one tanh, of their sum.",
    spares=["general"],
    edit=("torch.tanh(asked + memory)", "(torch.tanh(asked) + torch.tanh(memory))"),
)

wrong(
    "tanh-outside",
    "tanh of the whole score",
    says=(
        "Your tanh comes after v_a, around the whole score. Take the tanh of the sum of "
        "the two products, then multiply by v_a."
    ),
    spares=["general"],
    edit=("torch.tanh(asked + memory) @ v_a", "torch.tanh((asked + memory) @ v_a)"),
)

wrong(
    "turned",
    "the matrix transposed",
    says="You transpose W. States are rows, so it is s W and not s Wᵀ.",
    spares=["additive"],
    edit=("query = s @ W", "query = s @ W.T"),
)

broken("memory = H @ U_a", "memory = H.flip(1) @ U_a")
broken("torch.tanh(asked + memory)", "torch.tanh(asked - memory)")
broken("query = s @ W", "query = s.abs() @ W")
broken("(s @ W_a)[:, None, :]", "(s.mean(dim=0) @ W_a)[None, None, :]")
