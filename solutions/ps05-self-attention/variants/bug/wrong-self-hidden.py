# wrong: hides each token from itself, so the first sees nothing
# loses: bug--eval bug--train bug--reading-on bug--same bug--mode
# told: is NaN
class MendedReader(Reader):
    def forward(self, x, past=None):
        read = x if past is None else torch.cat([past, x], dim=1)
        Q, K, V = x @ self.W_Q, read @ self.W_K, read @ self.W_V
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        T, S = scores.shape[-2:]
        later = torch.ones(T, S, dtype=torch.bool).triu(S - T)
        scores = scores.masked_fill(later, -math.inf)
        return scores.softmax(dim=-1) @ V, read
