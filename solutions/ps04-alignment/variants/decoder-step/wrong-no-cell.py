# wrong: no new state at all
# loses: decoder-step--by-hand decoder-step--state decoder-step--weights decoder-step--logits decoder-step--gradients decoder-step--inputs
# told: does not write a new state|it must be
def decoder_step(y, s, H, W_y, W_s, b, W_a, W_t, W_U):
    new = s
    scores = (H @ (new @ W_a)[:, :, None])[:, :, 0]
    weights = scores.softmax(dim=-1)
    context = (weights[:, :, None] * H).sum(dim=1)
    joined = torch.cat([context, new], dim=-1)
    t = torch.tanh(joined @ W_t)
    return t @ W_U, new, weights
