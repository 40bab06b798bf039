# wrong: asks the source with the block's input
# loses: bug--whole-source bug--padding bug--lengths bug--same bug--causal
# told: it asked with h
def mended_decoder(y, m, lengths, source_lengths, own, cross):
    T, S = y.shape[1], m.shape[1]
    causal = torch.ones(T, T, dtype=torch.bool).tril()
    words = (torch.arange(S) < source_lengths[:, None])[:, None]
    h = y + attend(y, y, causal, *own)
    return h + attend(y, m, words, *cross)
