# wrong: takes the sizes of the first document
# loses: batch--values batch--empty batch--inputs
# told: stops with|shape
def pad_documents(documents):
    N, S = len(documents[0]), max(len(s) for s in documents[0])
    ids = torch.zeros(len(documents), N, S, dtype=torch.long)
    words = torch.zeros(len(documents), N, S, dtype=torch.bool)
    for i, d in enumerate(documents):
        for n, s in enumerate(d):
            for j, word in enumerate(s):
                ids[i, n, j], words[i, n, j] = word, True
    return ids, words, words.any(-1)
