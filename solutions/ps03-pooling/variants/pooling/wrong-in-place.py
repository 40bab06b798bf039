# wrong: hides the padding in the caller's words
# loses: pooling--inputs
# told: changes its input x
def attention_pool(x, mask, v):
    x[~mask] = 0.0
    r = (x @ v).masked_fill(~mask, torch.finfo(x.dtype).min)
    a = r.softmax(-1) * mask
    return (a[..., None] * x).sum(1), a
