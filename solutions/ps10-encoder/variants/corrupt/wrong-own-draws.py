# wrong: draws its own numbers
# loses: corrupt--by-hand corrupt--chosen corrupt--read corrupt--edges
# told: draw nothing yourself
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    chosen = candidates & (torch.rand(x.shape) < share)
    kind = torch.rand(x.shape)
    read = torch.where(chosen & (kind < 0.8), MASK, x)
    read = torch.where(chosen & (kind >= 0.8) & (kind < 0.9), r, read)
    return read, chosen
