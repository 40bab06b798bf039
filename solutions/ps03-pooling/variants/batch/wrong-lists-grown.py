# wrong: fills the caller's lists up
# loses: batch--inputs
# told: changes its input
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
