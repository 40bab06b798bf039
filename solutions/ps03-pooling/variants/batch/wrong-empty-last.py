# wrong: takes empty sentences to stand last, as the chapter's do
# loses: batch--empty
# told: takes the empty ones to stand last
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
