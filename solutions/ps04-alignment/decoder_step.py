@right("einsum", "index by index")
def decoder_step(y, s, H, W_y, W_s, b, W_a, W_t, W_U):
    state = torch.tanh(torch.cat([y, s], dim=1) @ torch.cat([W_y, W_s]) + b)
    weights = torch.einsum("bi,ij,bsj->bs", state, W_a, H).softmax(dim=1)
    context = torch.einsum("bs,bsd->bd", weights, H)
    Dh = H.shape[-1]
    t = torch.tanh(context @ W_t[:Dh] + state @ W_t[Dh:])
    return t @ W_U, state, weights


@right("loop", "one sentence after the other")
def decoder_step(y, s, H, W_y, W_s, b, W_a, W_t, W_U):
    found = []
    for word, before, memory in zip(y, s, H):
        new = torch.tanh(word @ W_y + before @ W_s + b)
        weights = (memory @ (W_a.T @ new)).softmax(dim=0)
        t = torch.tanh(torch.cat([weights @ memory, new]) @ W_t)
        found.append((t @ W_U, new, weights))
    return tuple(torch.stack(part) for part in zip(*found))


wrong(
    "context-mean",
    "the context is the mean of the states",
    says="The weights are not applied: your context is the plain mean of the states.",
    loses=["by-hand", "logits", "gradients"],
    edit=("context = (weights[:, :, None] * H).sum", "context = H.mean"),
)

wrong(
    "detached",
    "the state is cut off, as between texts",
    match="reaches s",
    loses=["gradients"],
    edit=("W_y + s", "W_y + s.detach()"),
)

wrong(
    "dot",
    "W_a left out",
    says="W_a is missing from your scores: s' · h is the dot-product score.",
    edit=("H @ (new @ W_a)", "H @ new"),
)

wrong(
    "even",
    "equal weights",
    says=(
        "Your code gives every state of the source the same weight. Where does the query come in?"
    ),
    spares=["state", "inputs"],
    edit=("scores.softmax(dim=-1)", "torch.full_like(scores, 1 / scores.shape[1])"),
)

wrong(
    "float32",
    "everything in 32 bits",
    match="float32",
    loses=["logits", "gradients"],
    edit=("t @ W_U, new, weights", "(t @ W_U).float(), new.float(), weights.float()"),
)

wrong(
    "in-place",
    "the bias is added in place",
    match="changes its input s",
    loses=["gradients", "inputs"],
    edit=(
        "scores = (H @ (new @ W_a)[:, :, None])[:, :, 0]",
        "s.copy_(new)\n    scores = (H @ (new @ W_a)[:, :, None])[:, :, 0]",
    ),
)

wrong(
    "log-softmaxed",
    "log-probabilities for logits",
    says="Your logits have been through a log-softmax. Return the logits themselves.",
    loses=["by-hand", "logits", "gradients"],
    edit=("t @ W_U", "(t @ W_U).log_softmax(dim=-1)"),
)

wrong(
    "no-bias",
    "the bias left out",
    says="The bias b is missing from your cell.",
    edit=("W_s + b", "W_s"),
)

wrong(
    "no-cell",
    "no new state at all",
    says="You return the old state. Return the new state s' that the cell computes.",
    edit=("torch.tanh(y @ W_y + s @ W_s + b)", "s"),
)

wrong(
    "no-memory",
    "the state before left out of the cell",
    says="The old state is missing from your cell: the step forgets what was written before.",
    edit=("s @ W_s + b", "b"),
)

wrong(
    "no-softmax",
    "scores weigh the states",
    says="The softmax is missing: your weights are the scores.",
    spares=["state", "inputs"],
    edit=("scores.softmax(dim=-1)", "scores"),
)

wrong(
    "no-tanh-in-cell",
    "the cell without its tanh",
    says="Your cell has no tanh. It goes around the whole sum.",
    edit=("torch.tanh(y @ W_y + s @ W_s + b)", "y @ W_y + s @ W_s + b"),
)

wrong(
    "no-tanh-in-t",
    "t without its tanh",
    says="The tanh around [c; s'] W_t is missing.",
    loses=["by-hand", "logits", "gradients"],
    edit=("torch.tanh(joined @ W_t)", "joined @ W_t"),
)

wrong(
    "no-word",
    "the word left out of the cell",
    says="The word just read is missing from your cell.",
    edit=("y @ W_y + s", "s"),
)

wrong(
    "old-state-asks",
    "the state before asks, as in Bahdanau’s decoder",
    says=(
        "Your query is the old state, as in Bahdanau's decoder. Here the query is the new state "
        "s', which the cell returns."
    ),
    spares=["state", "inputs"],
    edit=("new @ W_a", "s @ W_a"),
)

wrong(
    "order",
    "state first, then context",
    says="Context and state are in the wrong order: it is [c; s'], the context first.",
    loses=["by-hand", "logits", "gradients"],
    edit=("context, new", "new, context"),
)

wrong(
    "over-batch",
    "softmax over the sentences",
    says=(
        "Your weights sum to 1 over the sentences of the batch, not over the source: which "
        "dimension does your softmax run over?"
    ),
    spares=["state", "inputs"],
    edit=("scores.softmax(dim=-1)", "scores.softmax(dim=0)"),
)

wrong(
    "results-swapped",
    says="Your first two results have changed places: return the logits, then the new state.",
    spares=["weights", "inputs"],
    edit=("t @ W_U, new", "new, t @ W_U"),
)

wrong(
    "scaled",
    "scores divided by the root of the width",
    says="You divide your scores by the root of a width. Do not scale them here.",
    loses=["weights", "logits", "gradients"],
    edit=("scores.softmax", "(scores / math.sqrt(H.shape[-1])).softmax"),
)

wrong(
    "scores-returned",
    "scores returned for weights",
    says="You return the scores, before the softmax, as the weights.",
    loses=["by-hand", "weights"],
    edit=("new, weights", "new, scores"),
)

wrong(
    "softmaxed",
    "probabilities for logits",
    says="Your logits have been through a softmax. Return the logits themselves.",
    loses=["by-hand", "logits", "gradients"],
    edit=("t @ W_U", "(t @ W_U).softmax(dim=-1)"),
)

wrong(
    "state-returned",
    "the old state returned",
    says="You return the old state. Return the new state s' that the cell computes.",
    loses=["by-hand", "state"],
    edit=("W_U, new", "W_U, s"),
)

wrong(
    "t-returned",
    "t returned as the state",
    says=(
        "You return t, the state joined with the context, as the new state. The next step "
        "starts from s'."
    ),
    loses=["by-hand", "state"],
    edit=("W_U, new", "W_U, t"),
)

wrong(
    "two-results",
    "weights not returned",
    match="3 results",
    spares=["gradients", "inputs"],
    edit=("new, weights", "new"),
)

broken("torch.tanh(y @ W_y + s @ W_s + b)", "torch.tanh(y @ W_y + s @ W_s - b)")
broken("(weights[:, :, None] * H).sum(dim=1)", "(weights[:, :, None] * H).amax(dim=1)")
broken("return t @ W_U, new, weights", "return t @ W_U, new, weights.flip(1)")
broken("s @ W_s", "s @ W_s.T")
