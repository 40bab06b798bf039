# wrong: the bias is added in place
# loses: decoder-step--gradients decoder-step--inputs
# told: changes its input s
def decoder_step(y, s, H, W_y, W_s, b, W_a, W_t, W_U):
    new = torch.tanh(y @ W_y + s @ W_s + b)
    s.copy_(new)
    scores = (H @ (new @ W_a)[:, :, None])[:, :, 0]
    weights = scores.softmax(dim=-1)
    context = (weights[:, :, None] * H).sum(dim=1)
    joined = torch.cat([context, new], dim=-1)
    t = torch.tanh(joined @ W_t)
    return t @ W_U, new, weights
