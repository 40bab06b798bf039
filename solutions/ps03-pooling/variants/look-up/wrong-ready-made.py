# wrong: PyTorch's attention
# loses: look-up--by-hand look-up--values look-up--limits look-up--precision
# told: does the whole of this piece
def soft_look_up(q, K, V, tau):
    a = (K @ q / tau).softmax(0)
    o = torch.nn.functional.scaled_dot_product_attention(
        q[None, None], K[None], V[None], scale=1 / tau
    )
    return o[0, 0], a


def hard_look_up(q, K, V):
    r = K @ q
    return V[r == r.max()].mean(0)
