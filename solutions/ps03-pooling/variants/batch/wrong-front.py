# wrong: padding stands first
# loses: batch--by-hand batch--values batch--zeros batch--empty batch--inputs
# told: your padding stands first
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
