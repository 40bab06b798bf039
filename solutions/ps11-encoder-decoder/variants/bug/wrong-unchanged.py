# wrong: the published code as it was
# loses: bug--whole-source bug--padding bug--lengths bug--causal
# told: causal mask is still there
def mended_decoder(y, m, lengths, source_lengths, own, cross):
    return published_decoder(y, m, lengths, own, cross)
