# right: boolean masks and a head axis in place of fold and look
class MendedWriter(Writer):
    def attend(self, q, k, v, mask):
        q, k, v = (x.unflatten(2, (self.heads, -1)).transpose(1, 2) for x in (q, k, v))
        scores = q @ k.mT * q.shape[-1] ** -0.5
        weights = torch.where(mask, scores, -math.inf).softmax(-1)
        return (weights @ v).transpose(1, 2).flatten(2)

    def forward(self, x, source, lengths, past=None):
        read = x if past is None else torch.cat([past, x], dim=1)
        T, S = x.shape[1], read.shape[1]
        causal = torch.ones(T, S, dtype=torch.bool).tril(S - T)
        y = x + self.attend(x @ self.W_Q, read @ self.W_K, read @ self.W_V, causal)
        real = (torch.arange(source.shape[1]) < lengths[:, None])[:, None, None]
        z = self.attend(y @ self.U_Q, source @ self.U_K, source @ self.U_V, real)
        return y + z, read
