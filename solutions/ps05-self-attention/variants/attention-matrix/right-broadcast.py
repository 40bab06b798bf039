# right: products and sums by broadcasting, no matrix product
def attention(Q, K, V):
    scores = (Q.unsqueeze(-2) * K.unsqueeze(-3)).sum(-1)
    weights = nn.functional.softmax(scores, dim=-1)
    return (weights.unsqueeze(-1) * V.unsqueeze(-3)).sum(-2), weights
