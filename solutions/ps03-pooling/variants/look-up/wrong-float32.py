# wrong: through a new tensor of 32 bits
# loses: look-up--limits look-up--precision
# told: float32, while its inputs are float64
def soft_look_up(q, K, V, tau):
    a = torch.zeros(len(K))
    for j, k in enumerate(K):
        a[j] = k @ q / tau
    a = a.softmax(0)
    return (a[:, None] * V.float()).sum(0), a


def hard_look_up(q, K, V):
    r = K @ q
    return V[r == r.max()].mean(0)
