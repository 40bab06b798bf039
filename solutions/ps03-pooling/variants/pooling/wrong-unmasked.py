# wrong: the mask is not used
# loses: pooling--by-hand pooling--values pooling--padding pooling--empty pooling--gradients pooling--inputs
# told: get without a mask
def attention_pool(x, mask, v):
    a = (x @ v).softmax(-1)
    return (a[..., None] * x).sum(1), a
