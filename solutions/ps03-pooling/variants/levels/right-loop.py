# right: document by document, sentence by sentence
def pool_levels(x, words, v, u):
    B, N, S, D = x.shape
    documents, shares = [], []
    for b in range(B):
        share = x.new_zeros(N, S) + 0 * (x[b] @ v).masked_fill(~words[b], 0.0)
        real = [n for n in range(N) if words[b, n].any()]
        if real:
            weights = [(x[b, n][words[b, n]] @ v).softmax(0) for n in real]
            s = torch.stack([a @ x[b, n][words[b, n]] for n, a in zip(real, weights, strict=True)])
            beta = (s @ u).softmax(0)
            share = share.masked_scatter(
                words[b], torch.cat([t * a for t, a in zip(beta, weights, strict=True)])
            )
        shares.append(share)
        documents.append(torch.einsum("ns,nsd->d", share, x[b]))
    return torch.stack(documents), torch.stack(shares)
