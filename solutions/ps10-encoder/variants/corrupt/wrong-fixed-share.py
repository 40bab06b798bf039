# wrong: the share is always 0.15
# loses: corrupt--chosen corrupt--read corrupt--shares corrupt--edges corrupt--by-hand corrupt--inputs
# told: a fixed 0\.15
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    chosen = candidates & (c < 0.15)
    read = torch.where(chosen & (k < 0.8), MASK, x)
    read = torch.where(chosen & (k >= 0.8) & (k < 0.9), r, read)
    return read, chosen
