# wrong: a document without sentences has no longest one
# loses: batch--empty batch--inputs
# told: stops with
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
