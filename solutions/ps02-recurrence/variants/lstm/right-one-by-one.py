# right: sequence by sequence
def lstm_step(x_t, h, c, W, U, b):
    states, held = [], []
    for x, state, cell in zip(x_t, h, c):
        i, f, g, o = torch.split(x @ W + state @ U + b, len(state))
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        held.append(cell)
        states.append(o.sigmoid() * cell.tanh())
    return torch.stack(states), torch.stack(held)
