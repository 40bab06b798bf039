# wrong: returns the output alone
# loses: look-up--by-hand look-up--values look-up--limits look-up--precision
# told: 2 results are asked for
def soft_look_up(q, K, V, tau):
    return (K @ q / tau).softmax(0) @ V


def hard_look_up(q, K, V):
    r = K @ q
    return V[r == r.max()].mean(0)
