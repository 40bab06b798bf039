# wrong: adds the values of equal scores
# loses: look-up--hard look-up--precision
# told: you add their values
def soft_look_up(q, K, V, tau):
    a = (K @ q / tau).softmax(0)
    return a @ V, a


def hard_look_up(q, K, V):
    r = K @ q
    return V[r == r.max()].sum(0)
