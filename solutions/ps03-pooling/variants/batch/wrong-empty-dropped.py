# wrong: leaves sentences without words out
# loses: batch--empty
# told: leave out sentences without words|shape
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
