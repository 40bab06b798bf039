# right: document by document, words taken out for real
def confidence_left(x, mask, v, W, b, k):
    left = []
    for document, real in zip(x, mask, strict=True):
        words = document[real]
        p = ((words @ v).softmax(0) @ words @ W + b).softmax(0)
        order = (words @ v).argsort(descending=True)
        rest = words[order[k:]]
        o = (rest @ v).softmax(0) @ rest if len(rest) else torch.zeros_like(v)
        left.append((o @ W + b).softmax(0)[p.argmax()])
    return torch.stack(left)
