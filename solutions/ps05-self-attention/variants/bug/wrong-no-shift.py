# wrong: the mask has the right shape and starts at the first key
# loses: bug--reading-on
# told: read one by one|in two pieces|in pieces of
class MendedReader(Reader):
    def forward(self, x, past=None):
        read = x if past is None else torch.cat([past, x], dim=1)
        Q, K, V = x @ self.W_Q, read @ self.W_K, read @ self.W_V
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -math.inf)
        return scores.softmax(dim=-1) @ V, read
