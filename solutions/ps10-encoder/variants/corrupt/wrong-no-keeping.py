# wrong: what does not become [MASK] becomes a random word
# loses: corrupt--by-hand corrupt--read corrupt--shares
# told: no chosen word stays
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    chosen = candidates & (c < share)
    hidden = torch.where(k < 0.8, MASK, r)
    return torch.where(chosen, hidden, x), chosen
