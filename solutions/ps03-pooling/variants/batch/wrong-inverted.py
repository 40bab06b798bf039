# wrong: True on the padding, as PyTorch's key_padding_mask has it
# loses: batch--by-hand batch--values batch--zeros batch--empty batch--inputs
# told: the wrong way round
def pad_documents(documents):
    N = max(len(d) for d in documents)
    S = max(len(s) for d in documents for s in d)
    ids = torch.zeros(len(documents), N, S, dtype=torch.long)
    padding = torch.ones(len(documents), N, S, dtype=torch.bool)
    for i, d in enumerate(documents):
        for n, s in enumerate(d):
            ids[i, n, : len(s)] = torch.tensor(s, dtype=torch.long)
            padding[i, n, : len(s)] = False
    return ids, padding, padding.all(-1)
