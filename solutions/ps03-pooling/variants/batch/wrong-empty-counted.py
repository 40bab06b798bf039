# wrong: counts sentences without words
# loses: batch--empty
# told: without a word as sentences
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
