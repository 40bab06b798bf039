# wrong: masks of 0 and 1
# loses: batch--by-hand batch--values batch--zeros batch--empty batch--inputs
# told: boolean
def pad_documents(documents):
    N = max(len(d) for d in documents)
    S = max(len(s) for d in documents for s in d)
    ids = torch.zeros(len(documents), N, S, dtype=torch.long)
    words = torch.zeros(len(documents), N, S, dtype=torch.long)
    for i, d in enumerate(documents):
        for n, s in enumerate(d):
            for j, word in enumerate(s):
                ids[i, n, j], words[i, n, j] = word, 1
    return ids, words, words.amax(-1)
