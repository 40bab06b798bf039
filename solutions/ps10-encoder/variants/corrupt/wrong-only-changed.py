# wrong: asks only for the words that look different
# loses: corrupt--by-hand corrupt--chosen corrupt--shares corrupt--edges
# told: is chosen all the same
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    chosen = candidates & (c < share)
    read = torch.where(chosen & (k < 0.8), MASK, x)
    read = torch.where(chosen & (k >= 0.8) & (k < 0.9), r, read)
    return read, read != x
