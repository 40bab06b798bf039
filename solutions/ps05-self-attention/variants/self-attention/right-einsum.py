# right: einsum, matrices filled by an initialiser, a loop over their names
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        for name, width in {"W_Q": d_k, "W_K": d_k, "W_V": d_v}.items():
            weight = nn.Parameter(torch.empty(d_model, width))
            nn.init.xavier_uniform_(weight)
            self.register_parameter(name, weight)

    def forward(self, x, mask=None):
        q = torch.einsum("btd,dk->btk", x, self.W_Q)
        k = torch.einsum("btd,dk->btk", x, self.W_K)
        v = torch.einsum("btd,dv->btv", x, self.W_V)
        a = torch.einsum("btk,bsk->bts", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            a = torch.where(mask, a, torch.finfo(a.dtype).min)
        a = a.softmax(2)
        return torch.einsum("bts,bsv->btv", a, v), a
