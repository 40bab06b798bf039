# wrong: the state before is forgotten in padding and out
# loses: bug--state bug--weights bug--context bug--same bug--inputs
# told: wrong in
def mended_begin(X, lengths, W_x, W_h, b):
    real = torch.arange(X.shape[1]) < lengths[:, None]
    state, states = X.new_zeros(len(X), len(W_h)), []
    for x, reads in zip(X.unbind(dim=1), real.unbind(dim=1)):
        new = torch.tanh(x @ W_x + b)
        state = torch.where(reads[:, None], new, state)
        states.append(state)
    H = torch.stack(states, dim=1)
    scores = (H * state[:, None, :]).sum(dim=-1)
    weights = scores.masked_fill(~real, -torch.inf).softmax(dim=-1)
    context = (weights[:, :, None] * H).sum(dim=1)
    return state, context, weights
