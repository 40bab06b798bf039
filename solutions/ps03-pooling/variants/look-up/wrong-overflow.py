# wrong: exp of scores that are too large
# loses: look-up--limits
# told: infinite where τ is small
def soft_look_up(q, K, V, tau):
    e = torch.exp(K @ q / tau)
    a = e / e.sum()
    return a @ V, a


def hard_look_up(q, K, V):
    r = K @ q
    return V[r == r.max()].mean(0)
