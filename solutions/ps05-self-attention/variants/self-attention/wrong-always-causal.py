# wrong: hides later tokens without being asked
# loses: self-attention--by-hand self-attention--values self-attention--mask self-attention--order self-attention--gradients self-attention--parameters
# told: another order
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Parameter(torch.randn(d_model, d_k))
        self.W_K = nn.Parameter(torch.randn(d_model, d_k))
        self.W_V = nn.Parameter(torch.randn(d_model, d_v))

    def forward(self, x, mask=None):
        T = x.shape[1]
        Q, K, V = x @ self.W_Q, x @ self.W_K, x @ self.W_V
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        causal = torch.ones(T, T, dtype=torch.bool).tril()
        mask = causal if mask is None else causal & mask
        weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
        return weights @ V, weights
