# right: each head's group by its number; pooling as a product
def grouped_attention(Q, K, V):
    group = torch.arange(Q.shape[1]) // (Q.shape[1] // K.shape[1])
    scores = torch.einsum("bhtk,bhsk->bhts", Q, K[:, group])
    weights = scores.div(Q.shape[-1] ** 0.5).softmax(-1)
    return torch.einsum("bhts,bhsv->bhtv", weights, V[:, group]), weights


def pooled(W, heads, groups):
    share = torch.eye(groups, dtype=W.dtype).repeat_interleave(heads // groups, 0)
    share = share * groups / heads  # (H, G)
    return torch.einsum("dhk,hg->dgk", W.view(len(W), heads, -1), share).flatten(1)


def numbers_kept(B, S, groups, d_k, d_v):
    one_token = sum(d_k + d_v for _ in range(groups))
    return one_token * S * B
