# wrong: the mask comes after the softmax
# loses: pooling--by-hand pooling--values pooling--padding pooling--empty pooling--gradients pooling--inputs
# told: the mask comes after the softmax
def attention_pool(x, mask, v):
    a = (x @ v).softmax(-1) * mask
    return (a[..., None] * x).sum(1), a
