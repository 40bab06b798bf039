# wrong: every chosen word becomes [MASK]
# loses: corrupt--by-hand corrupt--read corrupt--shares
# told: every chosen word becomes
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    chosen = candidates & (c < share)
    return x.masked_fill(chosen, MASK), chosen
