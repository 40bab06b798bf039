# right: the output from the heads side by side and W_O in one
def cross_attention(X, C, W_Q, W_K, W_V, W_O):
    def project(x, W):
        wide = x @ torch.cat(tuple(W), dim=1)
        return wide.unflatten(-1, (len(W), -1)).transpose(1, 2)

    Q, K, V = project(X, W_Q), project(C, W_K), project(C, W_V)
    weights = torch.softmax(Q @ K.mT * Q.shape[-1] ** -0.5, dim=-1)
    heads = weights @ V
    output = heads.transpose(1, 2).flatten(2) @ W_O.flatten(0, 1)
    return output, heads @ W_O
