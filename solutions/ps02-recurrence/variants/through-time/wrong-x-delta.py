# wrong: δ as the gradient of x
# loses: through-time--values through-time--every-step through-time--one-token through-time--measured through-time--by-hand through-time--inputs
# told: gradient of x is δ itself
def through_time(x, W, U, b, G):
    states = [torch.zeros_like(b)]
    for x_t in x:
        states.append(torch.tanh(x_t @ W + states[-1] @ U + b))
    rows = torch.zeros_like(G)
    dx = torch.zeros_like(x)
    dW, dU, db = torch.zeros_like(W), torch.zeros_like(U), torch.zeros_like(b)
    later = torch.zeros_like(b)
    for t in reversed(range(len(x))):
        dh = G[t] + later
        delta = dh * (1 - states[t + 1] ** 2)
        dx[t] = 0.0
        rows[t] = delta
        dW += torch.outer(x[t], delta)
        dU += torch.outer(states[t], delta)
        db += delta
        later = delta @ U.T
    return rows, dW, dU, db
