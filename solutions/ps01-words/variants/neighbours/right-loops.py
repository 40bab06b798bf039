# right: word by word, with sorted
def neighbours(W, word, k):
    def cosine(a, b):
        lengths = a.norm() * b.norm()
        return (a @ b / lengths).item() if lengths > 0 else 0.0

    others = [r for r in range(len(W)) if r != word]
    others.sort(key=lambda r: cosine(W[r], W[word]), reverse=True)
    return torch.tensor(others[:k])


def analogy(W, a, b, c):
    target = W[b] / W[b].norm() - W[a] / W[a].norm() + W[c] / W[c].norm()
    scores = {
        r: (W[r] @ target / W[r].norm()).item()
        for r in range(len(W))
        if r not in (a, b, c)
    }
    return max(scores, key=scores.get)
