# wrong: one matrix for queries and keys
# loses: self-attention--parameters self-attention--by-hand self-attention--values self-attention--mask self-attention--gradients self-attention--order
# told: the parameters of
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Parameter(torch.randn(d_model, d_k))
        self.W_V = nn.Parameter(torch.randn(d_model, d_v))

    def forward(self, x, mask=None):
        Q, K, V = x @ self.W_Q, x @ self.W_Q, x @ self.W_V
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)
        return weights @ V, weights
