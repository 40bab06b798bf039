# wrong: returns the scores as weights
# loses: look-up--by-hand look-up--values look-up--precision
# told: scores, before the softmax
def soft_look_up(q, K, V, tau):
    r = K @ q / tau
    return r.softmax(0) @ V, r


def hard_look_up(q, K, V):
    r = K @ q
    return V[r == r.max()].mean(0)
