# wrong: special tokens and padding are chosen, too
# loses: corrupt--by-hand corrupt--chosen corrupt--read corrupt--edges
# told: only candidates may be
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    chosen = c < share
    read = torch.where(chosen & (k < 0.8), MASK, x)
    read = torch.where(chosen & (k >= 0.8) & (k < 0.9), r, read)
    return read, chosen
