# wrong: forgets the softmax
# loses: pooling--by-hand pooling--values pooling--padding pooling--empty pooling--gradients pooling--inputs
# told: the softmax is missing
def attention_pool(x, mask, v):
    a = (x @ v) * mask
    return (a[..., None] * x).sum(1), a
