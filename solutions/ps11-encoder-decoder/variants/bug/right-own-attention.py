# right: an attention of its own, the target's padding hidden too
def mended_decoder(y, m, lengths, source_lengths, own, cross):
    def look(x, other, allowed, W_Q, W_K, W_V):
        scores = torch.einsum("bti,ik,bsj,jk->bts", x, W_Q, other, W_K) / W_Q.shape[-1] ** 0.5
        return torch.where(allowed, scores, -torch.inf).softmax(-1) @ other @ W_V

    T, S = y.shape[1], m.shape[1]
    later = torch.ones(T, T, dtype=torch.bool).triu(1)
    there = torch.arange(T) < lengths[:, None, None]
    h = y + look(y, y, ~later & there, *own)
    return h + look(h, m, torch.arange(S) < source_lengths[:, None, None], *cross)
