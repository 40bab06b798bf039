# wrong: takes the causal mask away from both
# loses: bug--padding bug--lengths bug--causal bug--whole-source
# told: look ahead
def mended_decoder(y, m, lengths, source_lengths, own, cross):
    T, S = y.shape[1], m.shape[1]
    causal = torch.ones(T, T, dtype=torch.bool).tril()
    words = (torch.arange(S) < source_lengths[:, None])[:, None]
    h = y + attend(y, y, torch.ones_like(causal), *own)
    return h + attend(h, m, words, *cross)
