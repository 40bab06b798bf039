# wrong: the softmax runs over the documents
# loses: pooling--by-hand pooling--values pooling--padding pooling--empty pooling--gradients pooling--inputs
# told: over the documents of the batch
def attention_pool(x, mask, v):
    r = (x @ v).masked_fill(~mask, torch.finfo(x.dtype).min)
    a = r.softmax(0) * mask
    return (a[..., None] * x).sum(1), a
