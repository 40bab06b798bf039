# right: one document after the other, its words alone
def attention_pool(x, mask, v):
    vectors, weights = [], []
    for words, real in zip(x, mask, strict=True):
        a = (words * v).sum(1) * 0
        if real.any():
            a = a.masked_scatter(real, (words[real] @ v).softmax(0))
        weights.append(a)
        vectors.append(a @ words)
    return torch.stack(vectors), torch.stack(weights)
