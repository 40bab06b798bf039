# right: sentence by sentence and word by word
def additive_scores(s, H, W_a, U_a, v_a):
    rows = []
    for query, states in zip(s, H):
        rows.append(torch.stack([(query @ W_a + h @ U_a).tanh() @ v_a for h in states]))
    return torch.stack(rows)


def general_scores(s, H, W):
    return torch.stack([states @ (query @ W) for query, states in zip(s, H)])
