# wrong: the state before left out of the cell
# loses: decoder-step--state decoder-step--weights decoder-step--logits decoder-step--gradients decoder-step--by-hand decoder-step--inputs
# told: old state is missing
def decoder_step(y, s, H, W_y, W_s, b, W_a, W_t, W_U):
    new = torch.tanh(y @ W_y + b)
    scores = (H @ (new @ W_a)[:, :, None])[:, :, 0]
    weights = scores.softmax(dim=-1)
    context = (weights[:, :, None] * H).sum(dim=1)
    joined = torch.cat([context, new], dim=-1)
    t = torch.tanh(joined @ W_t)
    return t @ W_U, new, weights
