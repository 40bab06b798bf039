# right: a copy that is filled by masks
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    chosen = torch.logical_and(c < share, candidates)
    read = x.clone()
    read[chosen & (k < 0.9)] = r[chosen & (k < 0.9)]
    read.masked_fill_(chosen & (k < 0.8), MASK)
    return read, chosen
