# wrong: a place too many is a word
# loses: batch--by-hand batch--values batch--zeros batch--empty batch--inputs
# told: one place too many
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
