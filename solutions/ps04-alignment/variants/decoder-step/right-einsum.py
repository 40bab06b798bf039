# right: index by index
def decoder_step(y, s, H, W_y, W_s, b, W_a, W_t, W_U):
    state = torch.tanh(torch.cat([y, s], dim=1) @ torch.cat([W_y, W_s]) + b)
    weights = torch.einsum("bi,ij,bsj->bs", state, W_a, H).softmax(dim=1)
    context = torch.einsum("bs,bsd->bd", weights, H)
    Dh = H.shape[-1]
    t = torch.tanh(context @ W_t[:Dh] + state @ W_t[Dh:])
    return t @ W_U, state, weights
