# wrong: divides by what is left and a small number
# loses: pooling--padding
# told: nothing is left to share out
def attention_pool(x, mask, v):
    a = (x @ v).softmax(-1) * mask
    a = a / (a.sum(1, keepdim=True) + 1e-12)
    return (a[..., None] * x).sum(1), a
