# wrong: new keys stand in front
# loses: cached--by-hand cached--one-by-one cached--pieces cached--cache cached--causal
# told: stand in front
def read(tokens, w, heads, K_past, V_past):
    start, T = K_past.shape[2], tokens.shape[1]
    S = start + T
    x = w["E"][tokens] + w["P"][start:S]

    def split(columns):
        return columns.unflatten(-1, (heads, -1)).transpose(1, 2)

    Q = split(x @ w["W_Q"])
    K = torch.cat([split(x @ w["W_K"]), K_past], dim=2)
    V = torch.cat([split(x @ w["W_V"]), V_past], dim=2)
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    own = torch.arange(start, S)[:, None]
    scores = scores.masked_fill(torch.arange(S) > own, -math.inf)
    found = (scores.softmax(dim=-1) @ V).transpose(1, 2).flatten(2)
    y = x + found @ w["W_O"]
    return y @ w["E"].T, K, V
