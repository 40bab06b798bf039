# wrong: the question's words may be the answer
# loses: neighbours--analogy neighbours--own-words
# told: own words are no answers
def neighbours(W, word, k):
    lengths = W.norm(dim=1)
    cosines = W @ W[word] / (lengths * lengths[word]).clamp(min=1e-30)
    cosines[word] = -2
    return cosines.argsort(descending=True)[:k]


def analogy(W, a, b, c):
    U = W / W.norm(dim=1, keepdim=True)
    return (U @ (U[b] - U[a] + U[c])).argmax().item()
