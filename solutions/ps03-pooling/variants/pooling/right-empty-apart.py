# right: -inf for padding; empty documents see everything, then nothing
def attention_pool(x, mask, v):
    some = mask.any(1, keepdim=True)
    r = (x @ v).masked_fill(~mask & some, -math.inf)
    a = r.softmax(-1) * some
    return torch.bmm(a[:, None, :], x).squeeze(1), a
