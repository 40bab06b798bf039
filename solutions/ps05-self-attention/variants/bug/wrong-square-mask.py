# wrong: masks in both modes, but knows nothing of what was read before
# loses: bug--reading-on
# told: stops with RuntimeError
class MendedReader(Reader):
    def forward(self, x, past=None):
        read = x if past is None else torch.cat([past, x], dim=1)
        Q, K, V = x @ self.W_Q, read @ self.W_K, read @ self.W_V
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        T = x.shape[1]
        later = torch.ones(T, T, dtype=torch.bool).triu(diagonal=1)
        scores = scores.masked_fill(later, -math.inf)
        return scores.softmax(dim=-1) @ V, read
