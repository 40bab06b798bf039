# wrong: forgets super().__init__()
# loses: self-attention--parameters self-attention--by-hand self-attention--values self-attention--mask self-attention--order self-attention--gradients
# told: before Module.__init__\(\) call
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        self.W_Q = nn.Parameter(torch.randn(d_model, d_k))
        self.W_K = nn.Parameter(torch.randn(d_model, d_k))
        self.W_V = nn.Parameter(torch.randn(d_model, d_v))

    def forward(self, x, mask=None):
        Q, K, V = x @ self.W_Q, x @ self.W_K, x @ self.W_V
        weights = (Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])).softmax(-1)
        return weights @ V, weights
