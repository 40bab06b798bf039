# wrong: only the place to read from is mended
# loses: bug--front bug--both bug--padding
# told: padding in front still takes places
def mended_next(tokens, real, w):
    T = tokens.shape[1]
    place = (real.long().cumsum(dim=1) - 1).clamp(min=0)
    x = w["E"][tokens] + w["P"][:T]
    Q, K, V = x @ w["W_Q"], x @ w["W_K"], x @ w["W_V"]
    scores = Q @ K.transpose(1, 2) / math.sqrt(Q.shape[-1])
    seen = torch.ones(T, T, dtype=torch.bool).tril() & real[:, None]
    weights = scores.masked_fill(~seen, -10_000.0).softmax(dim=-1)
    y = x + weights @ V @ w["W_O"]
    last = (real * torch.arange(T)).argmax(dim=1)
    return y[torch.arange(len(y)), last] @ w["E"].T
