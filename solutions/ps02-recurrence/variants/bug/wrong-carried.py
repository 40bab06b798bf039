# wrong: the state goes on from sequence to sequence
# loses: bug--place bug--padding bug--same bug--empty bug--inputs
# told: last states
def mended_states(x, lengths, W, U, b):
    h, last = torch.zeros_like(b), []
    for rows, length in zip(x, lengths.tolist()):
        for x_t in rows[len(rows) - length :]:
            h = torch.tanh(x_t @ W + h @ U + b)
        last.append(h)
    return torch.stack(last)
