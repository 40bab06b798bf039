# wrong: the weights are numbers to the gradient
# loses: pooling--gradients
# told: no gradient reaches v
def attention_pool(x, mask, v):
    with torch.no_grad():
        r = (x @ v).masked_fill(~mask, torch.finfo(x.dtype).min)
        a = r.softmax(-1) * mask
    return (a[..., None] * x).sum(1), a
