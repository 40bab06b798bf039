# right: all sentences as one batch, then the documents; the vector by the shares
def pool_levels(x, words, v, u):
    def weigh(scores, mask):
        some = mask.any(-1, keepdim=True)
        return scores.masked_fill(~mask & some, -math.inf).softmax(-1) * (mask & some)

    B, N, S, D = x.shape
    a = weigh(x.reshape(B * N, S, D) @ v, words.reshape(B * N, S))
    s = torch.bmm(a[:, None], x.reshape(B * N, S, D)).view(B, N, D)
    beta = weigh(s @ u, words.any(-1))
    share = beta.unsqueeze(-1) * a.view(B, N, S)
    return torch.einsum("bns,bnsd->bd", share, x), share
