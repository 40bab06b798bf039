# wrong: the longest sentence of each document apart: ragged
# loses: batch--by-hand batch--values batch--zeros batch--empty batch--inputs
# told: stops with|comes back
def pad_documents(documents):
    N = max(len(d) for d in documents)
    ids = []
    for d in documents:
        S = max(len(s) for s in d)
        ids.append([s + [0] * (S - len(s)) for s in d] + [[0] * S] * (N - len(d)))
    ids = torch.tensor(ids)
    return ids, ids != 0, (ids != 0).any(-1)
