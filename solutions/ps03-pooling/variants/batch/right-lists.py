# right: filled up as lists, then made a tensor
def pad_documents(documents):
    most = max(len(d) for d in documents)
    longest = max([len(s) for d in documents for s in d])
    filled = [[list(s) for s in d] + [[] for _ in range(most - len(d))] for d in documents]
    ids = [[s + [0] * (longest - len(s)) for s in d] for d in filled]
    words = [[[j < len(s) for j in range(longest)] for s in d] for d in filled]
    return (
        torch.tensor(ids),
        torch.tensor(words),
        torch.tensor([[len(s) > 0 for s in d] for d in filled]),
    )
