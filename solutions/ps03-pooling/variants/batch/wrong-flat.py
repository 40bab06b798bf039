# wrong: one row of words for each document
# loses: batch--by-hand batch--values batch--zeros batch--empty batch--inputs
# told: shape
def pad_documents(documents):
    flat = [[w for s in d for w in s] for d in documents]
    S = max(map(len, flat))
    ids = torch.tensor([row + [0] * (S - len(row)) for row in flat])
    words = torch.tensor([[j < len(row) for j in range(S)] for row in flat])
    return ids, words, words.any(-1)
