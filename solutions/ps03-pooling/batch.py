@right("lists", "filled up as lists, then made a tensor")
def pad_documents(documents):
    most = max(len(d) for d in documents)
    longest = max([len(s) for d in documents for s in d])
    filled = [[list(s) for s in d] + [[] for _ in range(most - len(d))] for d in documents]
    ids = [[s + [0] * (longest - len(s)) for s in d] for d in filled]
    words = [[[j < len(s) for j in range(longest)] for s in d] for d in filled]
    return (
        torch.tensor(ids),
        torch.tensor(words),
        torch.tensor([[len(s) > 0 for s in d] for d in filled]),
    )


@right("pad-sequence", "PyTorch's own padding, twice; masks from lengths")
def pad_documents(documents):
    N = max(map(len, documents))
    rows = [
        torch.tensor(sentence, dtype=torch.long)
        for document in documents
        for sentence in document + [[]] * (N - len(document))
    ]
    long = torch.tensor([len(row) for row in rows])
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    ids = ids.view(len(documents), N, -1)
    words = torch.arange(ids.shape[2]) < long.view(len(documents), N, 1)
    return ids, words, (long > 0).view(len(documents), N)


@wrong(
    "document-by-document",
    "the longest sentence of each document apart: ragged",
    match="stops with|comes back|expected a tensor|a tensor is expected",
)
def pad_documents(documents):
    N = max(len(d) for d in documents)
    ids = []
    for d in documents:
        S = max(len(s) for s in d)
        ids.append([s + [0] * (S - len(s)) for s in d] + [[0] * S] * (N - len(d)))
    ids = torch.tensor(ids)
    return ids, ids != 0, (ids != 0).any(-1)


@wrong(
    "empty-counted",
    "counts sentences without words",
    says=(
        "Your code counts sentences without a word as sentences. The mask of the sentences "
        "is True where there is at least one word."
    ),
    loses=["empty"],
)
def pad_documents(documents):
    N = max(len(d) for d in documents)
    S = max(len(s) for d in documents for s in d)
    ids = torch.zeros(len(documents), N, S, dtype=torch.long)
    words = torch.zeros(len(documents), N, S, dtype=torch.bool)
    sentences = torch.zeros(len(documents), N, dtype=torch.bool)
    for i, d in enumerate(documents):
        sentences[i, : len(d)] = True
        for n, s in enumerate(d):
            ids[i, n, : len(s)] = torch.tensor(s, dtype=torch.long)
            words[i, n, : len(s)] = True
    return ids, words, sentences


@wrong(
    "empty-dropped",
    "leaves sentences without words out",
    says=(
        "You leave out sentences without words, so the ones after them move up. Sentence n "
        "stays in row n."
    ),
    loses=["empty"],
)
def pad_documents(documents):
    documents = [[s for s in d if s] for d in documents]
    N = max(len(d) for d in documents)
    S = max(len(s) for d in documents for s in d)
    ids = torch.zeros(len(documents), N, S, dtype=torch.long)
    words = torch.zeros(len(documents), N, S, dtype=torch.bool)
    for i, d in enumerate(documents):
        for n, s in enumerate(d):
            ids[i, n, : len(s)] = torch.tensor(s, dtype=torch.long)
            words[i, n, : len(s)] = True
    return ids, words, words.any(-1)


@wrong(
    "empty-last",
    "takes empty sentences to stand last, as the chapter's do",
    says=(
        "A sentence without words may come between others. Your mask of the sentences "
        "assumes that the empty ones come last."
    ),
    loses=["empty"],
)
def pad_documents(documents):
    N = max(len(d) for d in documents)
    S = max(len(s) for d in documents for s in d)
    ids = torch.zeros(len(documents), N, S, dtype=torch.long)
    words = torch.zeros(len(documents), N, S, dtype=torch.bool)
    for i, d in enumerate(documents):
        for n, s in enumerate(d):
            ids[i, n, : len(s)] = torch.tensor(s, dtype=torch.long)
            words[i, n, : len(s)] = True
    count = words.any(-1).sum(1, keepdim=True)
    return ids, words, torch.arange(N) < count


@wrong(
    "first-document",
    says=(
        "You take the sizes of the first document for all. N and S are the largest over all "
        "documents."
    ),
    spares=["by-hand", "zeros"],
)
def pad_documents(documents):
    N, S = len(documents[0]), max(len(s) for s in documents[0])
    ids = torch.zeros(len(documents), N, S, dtype=torch.long)
    words = torch.zeros(len(documents), N, S, dtype=torch.bool)
    for i, d in enumerate(documents):
        for n, s in enumerate(d):
            for j, word in enumerate(s):
                ids[i, n, j], words[i, n, j] = word, True
    return ids, words, words.any(-1)


@wrong(
    "flat",
    says=(
        "You join the sentences of a document into one row. Give each sentence a row of its own: "
        "the ids are (B, N, S)."
    ),
)
def pad_documents(documents):
    flat = [[w for s in d for w in s] for d in documents]
    S = max(map(len, flat))
    ids = torch.tensor([row + [0] * (S - len(row)) for row in flat])
    words = torch.tensor([[j < len(row) for j in range(S)] for row in flat])
    return ids, words, words.any(-1)


@wrong("floats", "ids as floats, masks as numbers", match="float32")
def pad_documents(documents):
    N = max(len(d) for d in documents)
    S = max(len(s) for d in documents for s in d)
    ids = torch.zeros(len(documents), N, S)
    words = torch.zeros(len(documents), N, S)
    for i, d in enumerate(documents):
        for n, s in enumerate(d):
            for j, word in enumerate(s):
                ids[i, n, j], words[i, n, j] = word, 1
    return ids, words, words.amax(-1)


@wrong(
    "front",
    "padding stands first",
    says="Your padding comes first. Words and sentences come first, padding last.",
)
def pad_documents(documents):
    N = max(len(d) for d in documents)
    S = max(len(s) for d in documents for s in d)
    ids = torch.zeros(len(documents), N, S, dtype=torch.long)
    words = torch.zeros(len(documents), N, S, dtype=torch.bool)
    for i, d in enumerate(documents):
        for n, s in enumerate(d, start=N - len(d)):
            ids[i, n, S - len(s) :] = torch.tensor(s, dtype=torch.long)
            words[i, n, S - len(s) :] = True
    return ids, words, words.any(-1)


@wrong(
    "inverted",
    "True on the padding, as PyTorch's key_padding_mask has it",
    says="Your masks are the wrong way round: True = there is a word, or a sentence, here.",
)
def pad_documents(documents):
    N = max(len(d) for d in documents)
    S = max(len(s) for d in documents for s in d)
    ids = torch.zeros(len(documents), N, S, dtype=torch.long)
    padding = torch.ones(len(documents), N, S, dtype=torch.bool)
    for i, d in enumerate(documents):
        for n, s in enumerate(d):
            ids[i, n, : len(s)] = torch.tensor(s, dtype=torch.long)
            padding[i, n, : len(s)] = False
    return ids, padding, padding.all(-1)


@wrong("lists-grown", "fills the caller's lists up", match="changes its input", loses=["inputs"])
def pad_documents(documents):
    N = max(len(d) for d in documents)
    S = max(len(s) for d in documents for s in d)
    words = []
    for d in documents:
        d += [[] for _ in range(N - len(d))]
        words.append([[j < len(s) for j in range(S)] for s in d])
        for s in d:
            s += [0] * (S - len(s))
    words = torch.tensor(words)
    return torch.tensor(documents), words, words.any(-1)


@wrong("minus-one", "fills up with -1", says="You pad with a number other than 0. Pad with 0.")
def pad_documents(documents):
    N = max(len(d) for d in documents)
    S = max(len(s) for d in documents for s in d)
    ids = torch.full((len(documents), N, S), -1)
    for i, d in enumerate(documents):
        for n, s in enumerate(d):
            for j, word in enumerate(s):
                ids[i, n, j] = word
    return ids, ids >= 0, (ids >= 0).any(-1)


@wrong(
    "no-empty-document",
    "a document without sentences has no longest one",
    match="stops with",
    loses=["empty", "inputs"],
)
def pad_documents(documents):
    N = max(len(d) for d in documents)
    S = max(max(len(s) for s in d) for d in documents)
    ids = torch.zeros(len(documents), N, S, dtype=torch.long)
    words = torch.zeros(len(documents), N, S, dtype=torch.bool)
    for i, d in enumerate(documents):
        for n, s in enumerate(d):
            for j, word in enumerate(s):
                ids[i, n, j], words[i, n, j] = word, True
    return ids, words, words.any(-1)


@wrong("number-masks", "masks of 0 and 1", match="boolean")
def pad_documents(documents):
    N = max(len(d) for d in documents)
    S = max(len(s) for d in documents for s in d)
    ids = torch.zeros(len(documents), N, S, dtype=torch.long)
    words = torch.zeros(len(documents), N, S, dtype=torch.long)
    for i, d in enumerate(documents):
        for n, s in enumerate(d):
            for j, word in enumerate(s):
                ids[i, n, j], words[i, n, j] = word, 1
    return ids, words, words.amax(-1)


@wrong(
    "one-too-many",
    "a position too many is a word",
    says="Your masks allow one position too many: n words fill positions 0 to n - 1.",
)
def pad_documents(documents):
    N = max(len(d) for d in documents)
    S = max(len(s) for d in documents for s in d)
    ids = torch.zeros(len(documents), N, S, dtype=torch.long)
    long = torch.zeros(len(documents), N, dtype=torch.long)
    for i, d in enumerate(documents):
        for n, s in enumerate(d):
            long[i, n] = len(s)
            for j, word in enumerate(s):
                ids[i, n, j] = word
    return ids, torch.arange(S) <= long[..., None], long > 0


@wrong(
    "sentences-as-batch",
    says=(
        "You make one list of the sentences of all documents. Keep an axis for the documents: the "
        "ids are (B, N, S)."
    ),
)
def pad_documents(documents):
    rows = [s for d in documents for s in d]
    S = max(map(len, rows))
    ids = torch.tensor([row + [0] * (S - len(row)) for row in rows])
    words = torch.tensor([[j < len(row) for j in range(S)] for row in rows])
    return ids, words, words.any(-1)


@wrong(
    "zero-is-padding",
    "tells padding by its id",
    says=(
        "Your code recognises padding by its id, 0. A word may have the id 0, too: use the lengths."
    ),
    loses=["zeros"],
)
def pad_documents(documents):
    N = max(len(d) for d in documents)
    S = max(len(s) for d in documents for s in d)
    ids = torch.zeros(len(documents), N, S, dtype=torch.long)
    for i, d in enumerate(documents):
        for n, s in enumerate(d):
            ids[i, n, : len(s)] = torch.tensor(s, dtype=torch.long)
    words = ids != 0
    return ids, words, words.any(-1)


broken(
    "max(len(sentence) for d in documents for sentence in d)",
    "max(len(sentence) for d in documents for sentence in d) + 1",
)
broken("ids[i, n, j] = word", "ids[i, n, -j] = word")
broken("words[i, n, j] = True", "words[i, n, : word] = True")
broken("words.any(dim=-1)", "words.all(dim=-1)")
