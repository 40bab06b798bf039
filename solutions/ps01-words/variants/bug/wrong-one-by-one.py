# wrong: pair after pair, each from what the one before left
# loses: bug--centres bug--contexts
# told: the new [WV]
def mended_step(W, V, centre, context, negatives, rate):
    for b in range(len(centre)):
        part = slice(b, b + 1)
        W, V = step(W, V, centre[part], context[part], negatives[part], rate)
    return W, V
