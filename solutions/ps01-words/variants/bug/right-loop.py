# right: one pair and one word after the other, from the old values
def mended_step(W, V, centre, context, negatives, rate):
    new_W, new_V = W.clone(), V.clone()
    for c, o, drawn in zip(centre.tolist(), context.tolist(), negatives.tolist()):
        for word, truth in [(o, 1.0)] + [(n, 0.0) for n in drawn]:
            error = torch.sigmoid(W[c] @ V[word]) - truth
            new_W[c] -= rate * error * V[word]
            new_V[word] -= rate * error * W[c]
    return new_W, new_V
