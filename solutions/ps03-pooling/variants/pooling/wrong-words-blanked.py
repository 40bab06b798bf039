# wrong: sets the padding's vectors to zero, which leaves them the score 0
# loses: pooling--by-hand pooling--values pooling--padding pooling--empty pooling--gradients pooling--inputs
# told: the mask
def attention_pool(x, mask, v):
    x = x * mask[..., None]
    a = (x @ v).softmax(-1)
    return (a[..., None] * x).sum(1), a
