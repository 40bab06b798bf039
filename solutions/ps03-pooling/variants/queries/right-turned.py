# right: scores (B, S, Q), a softmax over axis 1, turned at the end
def pool_by_queries(x, mask, W, b, v):
    r = torch.tanh(x @ W + b) @ v.T
    r = r + torch.zeros_like(r).masked_fill(~mask.unsqueeze(-1), -math.inf)
    a = r.softmax(1).transpose(1, 2)
    return torch.bmm(a, x), a
