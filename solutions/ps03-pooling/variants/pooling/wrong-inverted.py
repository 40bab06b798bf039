# wrong: hides the words
# loses: pooling--by-hand pooling--values pooling--padding pooling--empty pooling--gradients pooling--inputs
# told: the wrong way round
def attention_pool(x, mask, v):
    r = (x @ v).masked_fill(mask, torch.finfo(x.dtype).min)
    a = r.softmax(-1) * ~mask
    return (a[..., None] * x).sum(1), a
