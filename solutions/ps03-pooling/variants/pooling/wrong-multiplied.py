# wrong: the mask multiplies the scores
# loses: pooling--by-hand pooling--values pooling--padding pooling--empty pooling--gradients pooling--inputs
# told: the mask multiplies the scores
def attention_pool(x, mask, v):
    a = ((x @ v) * mask).softmax(-1)
    return (a[..., None] * x).sum(1), a
