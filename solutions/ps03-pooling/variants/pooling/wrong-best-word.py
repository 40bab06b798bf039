# wrong: takes the best word alone
# loses: pooling--by-hand pooling--values pooling--padding pooling--empty pooling--gradients pooling--inputs
# told: the largest weight alone
def attention_pool(x, mask, v):
    r = (x @ v).masked_fill(~mask, torch.finfo(x.dtype).min)
    a = torch.zeros_like(r).scatter(1, r.argmax(1, keepdim=True), 1.0) * mask
    return (a[..., None] * x).sum(1), a
