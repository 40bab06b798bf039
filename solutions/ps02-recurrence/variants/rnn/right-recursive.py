# right: one step, then the rest
def rnn_states(x, h, W, U, b):
    joined = torch.cat([x[:, 0], h], dim=-1) @ torch.cat([W, U])
    h = torch.tanh(joined + b)
    if x.shape[1] == 1:
        return h[:, None]
    return torch.cat([h[:, None], rnn_states(x[:, 1:], h, W, U, b)], dim=1)
