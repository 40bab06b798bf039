# wrong: takes the mask away and looks at padding
# loses: bug--padding bug--lengths
# told: padding of a source|padding of the source
def mended_decoder(y, m, lengths, source_lengths, own, cross):
    T, S = y.shape[1], m.shape[1]
    causal = torch.ones(T, T, dtype=torch.bool).tril()
    words = torch.tensor(True)
    h = y + attend(y, y, causal, *own)
    return h + attend(h, m, words, *cross)
