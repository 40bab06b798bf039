# wrong: returns the best key
# loses: look-up--hard look-up--precision
# told: you return a key|shape
def soft_look_up(q, K, V, tau):
    a = (K @ q / tau).softmax(0)
    return a @ V, a


def hard_look_up(q, K, V):
    r = K @ q
    return K[r == r.max()].mean(0)
