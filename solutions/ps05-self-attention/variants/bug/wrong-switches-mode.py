# wrong: puts itself into training mode for good
# loses: bug--mode
# told: was in eval mode before the call
class MendedReader(Reader):
    def forward(self, x, past=None):
        self.train()
        read = x if past is None else torch.cat([past, x], dim=1)
        Q, K, V = x @ self.W_Q, read @ self.W_K, read @ self.W_V
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        if self.training:
            T, S = scores.shape[-2:]
            seen = torch.ones(T, S, dtype=torch.bool).tril(S - T)
            scores = scores.masked_fill(~seen, -math.inf)
        return scores.softmax(dim=-1) @ V, read
