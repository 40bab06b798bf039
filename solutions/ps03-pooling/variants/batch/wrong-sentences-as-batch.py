# wrong: one row for each sentence of all documents
# loses: batch--by-hand batch--values batch--zeros batch--empty batch--inputs
# told: shape
def pad_documents(documents):
    rows = [s for d in documents for s in d]
    S = max(map(len, rows))
    ids = torch.tensor([row + [0] * (S - len(row)) for row in rows])
    words = torch.tensor([[j < len(row) for j in range(S)] for row in rows])
    return ids, words, words.any(-1)
