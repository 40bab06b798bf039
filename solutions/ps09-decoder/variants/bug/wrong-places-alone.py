# wrong: only the places are mended
# loses: bug--behind bug--both bug--padding
# told: The places are right now
def mended_next(tokens, real, w):
    T = tokens.shape[1]
    place = (real.long().cumsum(dim=1) - 1).clamp(min=0)
    x = w["E"][tokens] + w["P"][place]
    Q, K, V = x @ w["W_Q"], x @ w["W_K"], x @ w["W_V"]
    scores = Q @ K.transpose(1, 2) / math.sqrt(Q.shape[-1])
    seen = torch.ones(T, T, dtype=torch.bool).tril() & real[:, None]
    weights = scores.masked_fill(~seen, -10_000.0).softmax(dim=-1)
    y = x + weights @ V @ w["W_O"]
    last = (real * torch.arange(T)).argmax(dim=1)
    return y[:, -1] @ w["E"].T
