# wrong: gives x back
# loses: rotary--by-hand rotary--interleaved rotary--halves rotary--relative rotary--gradients rotary--inputs
# told: nothing is turned
def rotary(x, positions, theta, pairing="interleaved"):
    return x.clone()


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)
