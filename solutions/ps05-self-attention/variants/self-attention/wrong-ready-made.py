# wrong: wraps nn.MultiheadAttention
# loses: self-attention--parameters self-attention--by-hand self-attention--values self-attention--mask self-attention--order self-attention--gradients
# told: does the whole of this piece
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.inner = nn.MultiheadAttention(d_model, 1, bias=False, batch_first=True)

    def forward(self, x, mask=None):
        return self.inner(x, x, x, attn_mask=None if mask is None else ~mask)
