@right("accumulate", "index_put_ that accumulates, on copies")
def mended_step(W, V, centre, context, negatives, rate):
    words = torch.cat([context[:, None], negatives], dim=1)
    w, v = W[centre][:, None, :], V[words]
    error = torch.sigmoid((w * v).sum(dim=-1, keepdim=True))
    error[:, 0] -= 1.0
    down_W = -rate * (error * v).sum(dim=1)
    down_V = (-rate * error * w).flatten(0, 1)
    new_W, new_V = W.clone(), V.clone()
    new_W.index_put_((centre,), down_W, accumulate=True)
    new_V.index_put_((words.flatten(),), down_V, accumulate=True)
    return new_W, new_V


@right("autograd", "PyTorch's gradient of the loss")
def mended_step(W, V, centre, context, negatives, rate):
    W, V = W.clone().requires_grad_(), V.clone().requires_grad_()
    words = torch.cat([context[:, None], negatives], dim=1)
    scores = (V[words] * W[centre][:, None]).sum(-1)
    scores = torch.cat([-scores[:, :1], scores[:, 1:]], dim=1)
    loss = torch.logaddexp(scores, torch.zeros_like(scores)).sum()
    dW, dV = torch.autograd.grad(loss, (W, V))
    return (W - rate * dW).detach(), (V - rate * dV).detach()


@right("loop", "one pair and one word after the other, from the old values")
def mended_step(W, V, centre, context, negatives, rate):
    new_W, new_V = W.clone(), V.clone()
    for c, o, drawn in zip(centre.tolist(), context.tolist(), negatives.tolist()):
        for word, truth in [(o, 1.0)] + [(n, 0.0) for n in drawn]:
            error = torch.sigmoid(W[c] @ V[word]) - truth
            new_W[c] -= rate * error * V[word]
            new_V[word] -= rate * error * W[c]
    return new_W, new_V


@right("one-hot", "products with one-hot rows turned round")
def mended_step(W, V, centre, context, negatives, rate):
    words = torch.cat([context[:, None], negatives], dim=1)
    w, v = W[centre][:, None, :], V[words]
    error = torch.sigmoid((w * v).sum(dim=-1, keepdim=True))
    error[:, 0] -= 1.0
    down_W = -rate * (error * v).sum(dim=1)
    down_V = (-rate * error * w).flatten(0, 1)
    W = W + torch.eye(len(W), dtype=W.dtype)[centre].mT @ down_W
    V = V + torch.eye(len(V), dtype=V.dtype)[words.flatten()].mT @ down_V
    return W, V


@right("plain", "the steps that the wrong answers below change", edited=True)
def mended_step(W, V, centre, context, negatives, rate):
    words = torch.cat([context[:, None], negatives], dim=1)
    w, v = W[centre][:, None, :], V[words]
    error = torch.sigmoid((w * v).sum(dim=-1, keepdim=True))
    error[:, 0] -= 1.0
    down_W = -rate * (error * v).sum(dim=1)
    down_V = (-rate * error * w).flatten(0, 1)
    W = W.index_add(0, centre, down_W)
    V = V.index_add(0, words.flatten(), down_V)
    return W, V


wrong(
    "batch-mean",
    "divides by the size of the batch",
    says=(
        "The rows move by the mean of their updates. The loss is the sum over the pairs, so add "
        "the updates up."
    ),
    edit=(
        "down_W = -rate * (error * v).sum(dim=1)",
        "error = error / len(centre)\n    down_W = -rate * (error * v).sum(dim=1)",
    ),
)


@wrong(
    "contexts-lost",
    "negatives add up, contexts do not",
    says="Updates of negatives now add up, but those of contexts are still lost.",
    loses=["contexts"],
)
def mended_step(W, V, centre, context, negatives, rate):
    words = torch.cat([context[:, None], negatives], dim=1)
    w, v = W[centre][:, None, :], V[words]
    error = torch.sigmoid((w * v).sum(dim=-1, keepdim=True))
    error[:, 0] -= 1.0
    down_W = -rate * (error * v).sum(dim=1)
    down_V = (-rate * error * w).flatten(0, 1)
    W = W.index_add(0, centre, down_W)
    down_V = down_V.view(*words.shape, -1)
    V = V.index_add(0, negatives.flatten(), down_V[:, 1:].flatten(0, 1))
    V[context] += down_V[:, 0]
    return W, V


@wrong(
    "first-of-each",
    "np.unique keeps the first pair of each word",
    says=(
        "A word that is the centre of two pairs moves for only one of them: the other update of "
        "its row is lost."
    ),
    loses=["centres"],
)
def mended_step(W, V, centre, context, negatives, rate):
    seen = set()
    words = torch.cat([context[:, None], negatives], dim=1)
    w, v = W[centre][:, None, :], V[words]
    error = torch.sigmoid((w * v).sum(dim=-1, keepdim=True))
    error[:, 0] -= 1.0
    down_W = -rate * (error * v).sum(dim=1)
    down_V = (-rate * error * w).flatten(0, 1)
    W = W.clone()
    for word, down in reversed(list(zip(centre.tolist(), down_W))):
        W[word] = down + W[word] if word not in seen else W[word]
        seen.add(word)
    V = V.index_add(0, words.flatten(), down_V)
    return W, V


wrong(
    "in-place",
    "moves the caller's matrices",
    match="changes its input W",
    loses=["inputs"],
    edit=(
        ("W = W.index_add(0, centre, down_W)\n    V = V.index_add(0, words.flatten(), down_V)"),
        ("W.index_add_(0, centre, down_W)\n    V.index_add_(0, words.flatten(), down_V)"),
    ),
)


@wrong(
    "mean",
    "the mean of a row's updates",
    says=(
        "The rows move by the mean of their updates. The loss is the sum over the pairs, so add "
        "the updates up."
    ),
    loses=["centres", "contexts"],
)
def mended_step(W, V, centre, context, negatives, rate):
    words = torch.cat([context[:, None], negatives], dim=1)
    w, v = W[centre][:, None, :], V[words]
    error = torch.sigmoid((w * v).sum(dim=-1, keepdim=True))
    error[:, 0] -= 1.0
    down_W = -rate * (error * v).sum(dim=1)
    down_V = (-rate * error * w).flatten(0, 1)
    W = W.index_add(0, centre, down_W / torch.bincount(centre)[centre][:, None])
    V = V.index_add(
        0, words.flatten(), down_V / torch.bincount(words.flatten())[words.flatten()][:, None]
    )
    return W, V


@wrong(
    "negatives-lost",
    "contexts add up, negatives do not",
    says="Updates of contexts now add up, but those of negatives are still lost.",
    loses=["contexts"],
)
def mended_step(W, V, centre, context, negatives, rate):
    words = torch.cat([context[:, None], negatives], dim=1)
    w, v = W[centre][:, None, :], V[words]
    error = torch.sigmoid((w * v).sum(dim=-1, keepdim=True))
    error[:, 0] -= 1.0
    down_W = -rate * (error * v).sum(dim=1)
    down_V = (-rate * error * w).flatten(0, 1)
    W = W.index_add(0, centre, down_W)
    down_V = down_V.view(*words.shape, -1)
    V = V.index_add(0, context, down_V[:, 0])
    V[negatives] += down_V[:, 1:]
    return W, V


@wrong(
    "new-V",
    "W moves by the new V",
    says="You compute the step of W from the new V. Compute both steps from the old values.",
    spares=["contexts", "inputs"],
)
def mended_step(W, V, centre, context, negatives, rate):
    words = torch.cat([context[:, None], negatives], dim=1)
    w = W[centre][:, None, :]
    error = torch.sigmoid((w * V[words]).sum(dim=-1, keepdim=True))
    error[:, 0] -= 1.0
    V = V.index_add(0, words.flatten(), (-rate * error * w).flatten(0, 1))
    W = W.index_add(0, centre, -rate * (error * V[words]).sum(dim=1))
    return W, V


@wrong(
    "new-W",
    "V moves by the new W",
    says="You compute the step of V from the new W. Compute both steps from the old values.",
    spares=["centres", "inputs"],
)
def mended_step(W, V, centre, context, negatives, rate):
    words = torch.cat([context[:, None], negatives], dim=1)
    w, v = W[centre][:, None, :], V[words]
    error = torch.sigmoid((w * v).sum(dim=-1, keepdim=True))
    error[:, 0] -= 1.0
    down_W = -rate * (error * v).sum(dim=1)
    W = W.index_add(0, centre, down_W)
    down_V = (-rate * error * W[centre][:, None, :]).flatten(0, 1)
    V = V.index_add(0, words.flatten(), down_V)
    return W, V


wrong(
    "no-result",
    "forgets to return",
    match="expected 2 results.*got nothing",
    edit=(
        "V = V.index_add(0, words.flatten(), down_V)\n    return W, V",
        "V = V.index_add(0, words.flatten(), down_V)",
    ),
)


@wrong(
    "one-by-one",
    "pair after pair, each from what the one before left",
    says=(
        "You take a step for each pair, from where the pair before it ended. All gradients of a "
        "step are computed from the same W and V."
    ),
    loses=["centres", "contexts"],
)
def mended_step(W, V, centre, context, negatives, rate):
    for b in range(len(centre)):
        part = slice(b, b + 1)
        W, V = step(W, V, centre[part], context[part], negatives[part], rate)
    return W, V


wrong(
    "only-centres",
    "mends W and forgets V",
    says=(
        "A word that occurs several times among contexts and negatives does not move for all of "
        "them: updates of its row are overwritten."
    ),
    loses=["contexts"],
    edit=(
        "V = V.index_add(0, words.flatten(), down_V)",
        "V = V.clone()\n    V[words.flatten()] += down_V",
    ),
)

wrong(
    "only-contexts",
    "mends V and forgets W",
    says=(
        "A word that is the centre of two pairs moves for only one of them: the other update of "
        "its row is lost."
    ),
    loses=["centres"],
    edit=("W = W.index_add(0, centre, down_W)", "W = W.clone()\n    W[centre] += down_W"),
)


@wrong(
    "unchanged",
    "the published code as it was",
    says=(
        "Nothing has changed: a row that gets several updates still moves for only one of them. "
        "The others are overwritten."
    ),
    loses=["centres", "contexts"],
)
def mended_step(W, V, centre, context, negatives, rate):
    return step(W, V, centre, context, negatives, rate)


wrong(
    "uphill",
    "adds the gradient",
    says="Your step goes uphill. Move against the gradient.",
    edit=(
        ("down_W = -rate * (error * v).sum(dim=1)\n    down_V = (-rate * error * w).flatten(0, 1)"),
        ("down_W = rate * (error * v).sum(dim=1)\n    down_V = (rate * error * w).flatten(0, 1)"),
    ),
)


broken("error[:, 0] -= 1.0", "error[:, -1] -= 1.0")
broken("W.index_add(0, centre, down_W)", "W.index_copy(0, centre, W[centre] + down_W)")
broken("down_V = -rate * error * w", "down_V = -error * w")
