# wrong: no mask as soon as there is a past
# loses: bug--reading-on
# told: in two pieces
class MendedReader(Reader):
    def forward(self, x, past=None):
        read = x if past is None else torch.cat([past, x], dim=1)
        Q, K, V = x @ self.W_Q, read @ self.W_K, read @ self.W_V
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        if past is None:
            T = x.shape[1]
            later = torch.ones(T, T, dtype=torch.bool).triu(diagonal=1)
            scores = scores.masked_fill(later, -math.inf)
        return scores.softmax(dim=-1) @ V, read
