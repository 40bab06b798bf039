# right: PyTorch's own padding, twice; masks from lengths
def pad_documents(documents):
    N = max(map(len, documents))
    rows = [
        torch.tensor(sentence, dtype=torch.long)
        for document in documents
        for sentence in document + [[]] * (N - len(document))
    ]
    long = torch.tensor([len(row) for row in rows])
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    ids = ids.view(len(documents), N, -1)
    words = torch.arange(ids.shape[2]) < long.view(len(documents), N, 1)
    return ids, words, (long > 0).view(len(documents), N)
