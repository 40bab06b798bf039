# wrong: leaves the temperature out
# loses: look-up--by-hand look-up--values look-up--limits look-up--precision
# told: do not change with τ
def soft_look_up(q, K, V, tau):
    a = (K @ q).softmax(0)
    return a @ V, a


def hard_look_up(q, K, V):
    r = K @ q
    return V[r == r.max()].mean(0)
