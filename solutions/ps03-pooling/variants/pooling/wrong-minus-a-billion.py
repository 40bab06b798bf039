# wrong: -1e9 for padding, and nothing more
# loses: pooling--padding pooling--empty pooling--gradients
# told: shares its weight out among padding
def attention_pool(x, mask, v):
    a = (x @ v).masked_fill(~mask, -1e9).softmax(-1)
    return (a[..., None] * x).sum(1), a
