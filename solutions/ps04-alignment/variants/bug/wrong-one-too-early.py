# wrong: the state before the last word
# loses: bug--state bug--weights bug--context bug--same bug--inputs
# told: before the last word
def mended_begin(X, lengths, W_x, W_h, b):
    real = torch.arange(X.shape[1]) < lengths[:, None]
    state, states = X.new_zeros(len(X), len(W_h)), []
    for x in X.unbind(dim=1):
        state = torch.tanh(x @ W_x + state @ W_h + b)
        states.append(state)
    H = torch.stack(states, dim=1)
    state = H[torch.arange(len(H)), (lengths - 2).clamp(min=0)]
    scores = (H * state[:, None, :]).sum(dim=-1)
    weights = scores.masked_fill(~real, -torch.inf).softmax(dim=-1)
    return state, (weights[:, :, None] * H).sum(dim=1), weights
