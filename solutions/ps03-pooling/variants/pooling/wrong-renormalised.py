# wrong: masks after the softmax and divides by what is left
# loses: pooling--padding pooling--empty pooling--gradients
# told: nothing is left to share out
def attention_pool(x, mask, v):
    a = (x @ v).softmax(-1) * mask
    a = a / a.sum(1, keepdim=True)
    return (a[..., None] * x).sum(1), a
