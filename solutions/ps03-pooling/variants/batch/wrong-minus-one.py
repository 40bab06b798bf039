# wrong: fills up with -1
# loses: batch--by-hand batch--values batch--zeros batch--empty batch--inputs
# told: another number than 0
def pad_documents(documents):
    N = max(len(d) for d in documents)
    S = max(len(s) for d in documents for s in d)
    ids = torch.full((len(documents), N, S), -1)
    for i, d in enumerate(documents):
        for n, s in enumerate(d):
            for j, word in enumerate(s):
                ids[i, n, j] = word
    return ids, ids >= 0, (ids >= 0).any(-1)
