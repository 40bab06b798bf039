# wrong: divides the weights
# loses: look-up--by-hand look-up--values look-up--limits look-up--precision
# told: after the softmax
def soft_look_up(q, K, V, tau):
    a = (K @ q).softmax(0) / tau
    return a @ V, a


def hard_look_up(q, K, V):
    r = K @ q
    return V[r == r.max()].mean(0)
