# right: NaN overwritten; masked_fill lets no gradient through to the padding
def attention_pool(x, mask, v):
    a = (x @ v).masked_fill(~mask, -math.inf).softmax(-1)
    a = torch.nan_to_num(a)
    return (a[..., None] * x).sum(1), a
