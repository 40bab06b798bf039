# A weak translator: the notebook's baseline, made to ignore padding. It uses the functions of the
# notebook's baseline cells. Its checkpoint is weak.safetensors.


def load(weights):
    model = Baseline()
    model.load_state_dict(weights)
    return model.eval()


def read(model, sources):
    """The last state after each source, whatever stands behind it."""
    x = table(sources, LETTERS)
    lengths = torch.tensor([len(source) + 2 for source in sources])
    packed = nn.utils.rnn.pack_padded_sequence(
        model.source(x), lengths, batch_first=True, enforce_sorted=False
    )
    return model.reader(packed)[1]


def write(model, ids, state, cached):
    """Logits after each id; with a cache one at a time."""
    states = []
    for part in ids.split(1 if cached else ids.shape[1], 1):
        found, state = model.writer(model.target(part), state)
        states.append(found)
    return torch.cat(states, 1) @ model.target.weight.T


@torch.no_grad()
def word_scores(model, sources, targets, cached=False):
    rows = [target.split() for target in targets]
    y = table(rows, WORDS)
    logs = write(model, y[:, :-1], read(model, sources), cached).log_softmax(-1)
    found = logs.gather(-1, y[:, 1:, None])[..., 0]
    return [one[: len(row) + 1] for one, row in zip(found, rows)]


@torch.no_grad()
def translate(model, sources, cached=True):
    state, ids = read(model, sources), torch.full((len(sources), 1), START)
    for _ in range(14):
        best = write(model, ids, state, cached)[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, best], 1)
    return [as_text(row) for row in ids.tolist()]


def train(minutes):
    torch.manual_seed(0)
    pairs = draw_pairs(10_000, torch.Generator().manual_seed(0))
    sources = [german for german, _ in pairs]
    target = table([english.split() for _, english in pairs], WORDS)
    model, end = Baseline(), time.perf_counter() + 60 * minutes
    optimiser = torch.optim.Adam(model.parameters(), 5e-3)
    while time.perf_counter() < end:
        rows = torch.randint(len(pairs), (64,)).tolist()
        y = target[rows]
        logits = write(model, y[:, :-1], read(model, [sources[i] for i in rows]), False)
        loss = F.cross_entropy(logits.flatten(0, 1), y[:, 1:].flatten(), ignore_index=PAD)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model.state_dict()
