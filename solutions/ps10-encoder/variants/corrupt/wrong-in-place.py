# wrong: writes into x
# loses: corrupt--inputs
# told: changes its input x
def corrupt(x, candidates, c, k, r, MASK, share=0.15):
    chosen = candidates & (c < share)
    random = chosen & (k >= 0.8) & (k < 0.9)
    x[random] = r[random]
    x[chosen & (k < 0.8)] = MASK
    return x, chosen
