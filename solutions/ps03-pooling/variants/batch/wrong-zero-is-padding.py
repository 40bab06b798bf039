# wrong: tells padding by its id
# loses: batch--zeros
# told: id 0 may be a word
def pad_documents(documents):
    N = max(len(d) for d in documents)
    S = max(len(s) for d in documents for s in d)
    ids = torch.zeros(len(documents), N, S, dtype=torch.long)
    for i, d in enumerate(documents):
        for n, s in enumerate(d):
            ids[i, n, : len(s)] = torch.tensor(s, dtype=torch.long)
    words = ids != 0
    return ids, words, words.any(-1)
