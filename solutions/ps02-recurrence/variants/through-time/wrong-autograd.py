# wrong: backward of the loss
# loses: through-time--by-hand through-time--values through-time--every-step through-time--one-token through-time--measured through-time--inputs
# told: lets PyTorch find
def through_time(x, W, U, b, G):
    x, W, U, b = (v.clone().requires_grad_() for v in (x, W, U, b))
    h, loss = torch.zeros_like(b), 0.0
    for x_t, g in zip(x, G):
        h = torch.tanh(x_t @ W + h @ U + b)
        loss = loss + (g * h).sum()
    loss.backward()
    return x.grad, W.grad, U.grad, b.grad
