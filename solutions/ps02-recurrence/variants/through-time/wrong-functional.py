# wrong: autograd by another name
# loses: through-time--by-hand through-time--values through-time--every-step through-time--one-token through-time--measured through-time--inputs
# told: lets PyTorch find
def through_time(x, W, U, b, G):
    def loss(x, W, U, b):
        h, total = torch.zeros_like(b), 0.0
        for x_t, g in zip(x, G):
            h = torch.tanh(x_t @ W + h @ U + b)
            total = total + (g * h).sum()
        return total

    return torch.func.grad(loss, argnums=(0, 1, 2, 3))(x, W, U, b)
