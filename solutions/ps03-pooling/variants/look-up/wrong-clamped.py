# wrong: cuts large scores off
# loses: look-up--limits
# told: are large scores cut off
def soft_look_up(q, K, V, tau):
    e = torch.exp((K @ q / tau).clamp(max=80))
    a = e / e.sum()
    return a @ V, a


def hard_look_up(q, K, V):
    r = K @ q
    return V[r == r.max()].mean(0)
