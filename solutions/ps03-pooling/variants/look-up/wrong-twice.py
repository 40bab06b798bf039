# wrong: divides query and keys
# loses: look-up--by-hand look-up--values look-up--precision
# told: divide by τ twice
def soft_look_up(q, K, V, tau):
    a = ((K / tau) @ (q / tau)).softmax(0)
    return a @ V, a


def hard_look_up(q, K, V):
    r = K @ q
    return V[r == r.max()].mean(0)
