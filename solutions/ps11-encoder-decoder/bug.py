@right("cut-off", "each pair by itself, its padding cut off")
def mended_decoder(y, m, lengths, source_lengths, own, cross):
    rows = []
    for x, source, n in zip(y, m, source_lengths.tolist()):
        T = len(x)
        h = x + attend(x, x, torch.arange(T) <= torch.arange(T)[:, None], *own)
        rows.append(h + attend(h, source[:n], torch.tensor(True), *cross))
    return torch.stack(rows)


@right("own-attention", "an attention of its own, the target's padding hidden too")
def mended_decoder(y, m, lengths, source_lengths, own, cross):
    def look(x, other, allowed, W_Q, W_K, W_V):
        scores = torch.einsum("bti,ik,bsj,jk->bts", x, W_Q, other, W_K) / W_Q.shape[-1] ** 0.5
        return torch.where(allowed, scores, -torch.inf).softmax(-1) @ other @ W_V

    T, S = y.shape[1], m.shape[1]
    later = torch.ones(T, T, dtype=torch.bool).triu(1)
    there = torch.arange(T) < lengths[:, None, None]
    h = y + look(y, y, ~later & there, *own)
    return h + look(h, m, torch.arange(S) < source_lengths[:, None, None], *cross)


@right("plain", "the steps that the wrong answers below change", edited=True)
def mended_decoder(y, m, lengths, source_lengths, own, cross):
    T, S = y.shape[1], m.shape[1]
    causal = torch.ones(T, T, dtype=torch.bool).tril()
    words = (torch.arange(S) < source_lengths[:, None])[:, None]
    h = y + attend(y, y, causal, *own)
    return h + attend(h, m, words, *cross)


wrong(
    "adds-to-y",
    says="You add the cross-attention's result to y. It was added to h before, and that was right.",
    edit=("return h +", "return y +"),
)


wrong(
    "all-from-y",
    says=(
        "The queries of the cross-attention come from y, and its result is added to y. It was h "
        "in both places, and that was right."
    ),
    edit=("return h + attend(h", "return y + attend(y"),
)


wrong(
    "asks-with-y",
    "takes the queries from the block's input",
    says=(
        "The queries of the cross-attention come from y. They came from h before, and that "
        "was right."
    ),
    edit=("h, m,", "y, m,"),
)


wrong(
    "looks-ahead",
    "removes the causal mask from both",
    says=(
        "Words of the target now see later words. Self-attention was right before: leave it as "
        "it was."
    ),
    spares=["same"],
    edit=("causal,", "torch.ones_like(causal),"),
)


wrong(
    "no-mask",
    "removes the mask and looks at padding",
    says=(
        "Your cross-attention attends to padding of the source now. source_lengths says how many "
        "positions are words."
    ),
    loses=["padding", "lengths"],
    edit=(
        "words = (torch.arange(S) < source_lengths[:, None])[:, None]",
        "words = torch.tensor(True)",
    ),
)


@wrong(
    "not-itself",
    says="Your causal mask hides each word of the target from itself: the diagonal must be True.",
)
def mended_decoder(y, m, lengths, source_lengths, own, cross):
    place = torch.arange(y.shape[1])
    words = torch.arange(m.shape[1]) < source_lengths[:, None]
    h = y + attend(y, y, place < place[:, None], *own)
    return h + attend(h, m, words[:, None], *cross)


wrong(
    "still-causal",
    "takes the source's padding for the target's, and leaves the causal mask",
    says=(
        "The causal mask is still used on the source. The whole source is known before the "
        "first word is written."
    ),
    spares=["same"],
    edit=("words,", "words & causal,"),
)


wrong(
    "target-lengths",
    says=(
        "You use the target's lengths to hide positions of the source. source_lengths says how "
        "many positions are words."
    ),
    loses=["padding", "lengths"],
    edit=("< source_lengths[:, None]", "< lengths[:, None]"),
)


@wrong(
    "unchanged",
    "the published code as it was",
    says=(
        "The causal mask is still used on the source. The whole source is known before the "
        "first word is written."
    ),
    spares=["same"],
)
def mended_decoder(y, m, lengths, source_lengths, own, cross):
    return published_decoder(y, m, lengths, own, cross)


broken("words[:, None, :], *cross", "words[:, None, :], *own")
broken("source_place < source_lengths", "source_place <= source_lengths")
broken("place <= place[:, None]", "place < place[:, None] + 2")
