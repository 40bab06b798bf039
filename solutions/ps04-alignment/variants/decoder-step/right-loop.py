# right: one sentence after the other
def decoder_step(y, s, H, W_y, W_s, b, W_a, W_t, W_U):
    found = []
    for word, before, memory in zip(y, s, H):
        new = torch.tanh(word @ W_y + before @ W_s + b)
        weights = (memory @ (W_a.T @ new)).softmax(dim=0)
        t = torch.tanh(torch.cat([weights @ memory, new]) @ W_t)
        found.append((t @ W_U, new, weights))
    return tuple(torch.stack(part) for part in zip(*found))
