# right: exp, mask, divide by what is left
def masked_attention(Q, K, V, mask):
    scores = (Q @ K.transpose(-2, -1)) * Q.shape[-1] ** -0.5
    scores = torch.where(mask, scores, torch.zeros_like(scores))
    largest = torch.where(mask, scores, -1e30).amax(-1, keepdim=True).detach()
    exps = torch.exp(torch.where(mask, scores - largest, -1e4)) * mask
    total = exps.sum(dim=-1, keepdim=True)
    weights = exps / torch.where(total > 0, total, torch.ones_like(total))
    return weights @ V, weights
