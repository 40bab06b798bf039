# wrong: the mask is added as 0 and 1
# loses: pooling--by-hand pooling--values pooling--padding pooling--empty pooling--gradients pooling--inputs
# told: added as 0 and 1
def attention_pool(x, mask, v):
    a = (x @ v + mask).softmax(-1)
    return (a[..., None] * x).sum(1), a
