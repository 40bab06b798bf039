# wrong: rows[-0:] is all rows
# loses: bug--empty
# told: rows\[-0:\]
def mended_states(x, lengths, W, U, b):
    last = []
    for rows, length in zip(x, lengths.tolist()):
        h = torch.zeros_like(b)
        for x_t in rows[-length:]:
            h = torch.tanh(x_t @ W + h @ U + b)
        last.append(h)
    return torch.stack(last)
