# wrong: matrices of shape (out, in)
# loses: self-attention--parameters self-attention--by-hand self-attention--values self-attention--mask self-attention--gradients self-attention--order
# told: it is turned round
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Parameter(torch.randn(d_k, d_model))
        self.W_K = nn.Parameter(torch.randn(d_k, d_model))
        self.W_V = nn.Parameter(torch.randn(d_v, d_model))

    def forward(self, x, mask=None):
        Q, K, V = x @ self.W_Q.T, x @ self.W_K.T, x @ self.W_V.T
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return weights @ V, weights
