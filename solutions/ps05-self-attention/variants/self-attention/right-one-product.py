# right: one product for all three, then split; F.linear underneath
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.d_k, self.d_v = d_k, d_v
        self.W_Q = nn.Parameter(torch.randn(d_model, d_k))
        self.W_K = nn.Parameter(torch.randn(d_model, d_k))
        self.W_V = nn.Parameter(torch.randn(d_model, d_v))

    def attend(self, q, k, v, mask):
        scores = torch.matmul(q, k.transpose(1, 2)) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores + torch.zeros_like(scores).masked_fill(~mask, -1e30)
        weights = nn.Softmax(dim=-1)(scores)
        return weights @ v, weights

    def forward(self, x, mask=None):
        together = torch.cat([self.W_Q, self.W_K, self.W_V], dim=1)
        projected = nn.functional.linear(x, together.T)
        q, k, v = projected.split([self.d_k, self.d_k, self.d_v], dim=-1)
        return self.attend(q, k, v, mask)
