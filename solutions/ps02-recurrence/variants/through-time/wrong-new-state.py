# wrong: h_t in the gradient of U
# loses: through-time--by-hand through-time--every-step through-time--one-token through-time--values through-time--measured through-time--inputs
# told: yours of h_t
def through_time(x, W, U, b, G):
    states = [torch.zeros_like(b)]
    for x_t in x:
        states.append(torch.tanh(x_t @ W + states[-1] @ U + b))
    dx = torch.zeros_like(x)
    dW, dU, db = torch.zeros_like(W), torch.zeros_like(U), torch.zeros_like(b)
    later = torch.zeros_like(b)
    for t in reversed(range(len(x))):
        dh = G[t] + later
        delta = dh * (1 - states[t + 1] ** 2)
        dx[t] = delta @ W.T
        dW += torch.outer(x[t], delta)
        dU += torch.outer(states[t + 1], delta)
        db += delta
        later = delta @ U.T
    return dx, dW, dU, db
