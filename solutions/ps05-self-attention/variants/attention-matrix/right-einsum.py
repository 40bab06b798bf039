# right: einsum with named axes
def attention(Q, K, V):
    scores = torch.einsum("...td,...sd->...ts", Q, K)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("...ts,...sv->...tv", weights, V), weights
