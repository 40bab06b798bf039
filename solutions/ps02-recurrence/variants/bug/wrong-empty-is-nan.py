# wrong: one sequence after another, with nothing for an empty one
# loses: bug--empty
# told: IndexError|shape|raises
def mended_states(x, lengths, W, U, b):
    last = []
    for rows, length in zip(x, lengths.tolist()):
        states, h = [], torch.zeros_like(b)
        for x_t in rows[len(rows) - length :]:
            h = torch.tanh(x_t @ W + h @ U + b)
            states.append(h)
        last.append(states[-1])
    return torch.stack(last)
