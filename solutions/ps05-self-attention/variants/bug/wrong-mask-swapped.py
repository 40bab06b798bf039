# wrong: masks in eval mode and no longer in training
# loses: bug--train bug--reading-on bug--same bug--eval bug--mode
# told: in train mode.*looks ahead
class MendedReader(Reader):
    def forward(self, x, past=None):
        read = x if past is None else torch.cat([past, x], dim=1)
        Q, K, V = x @ self.W_Q, read @ self.W_K, read @ self.W_V
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        if not self.training:
            T, S = scores.shape[-2:]
            later = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
            scores = scores.masked_fill(later, -math.inf)
        return scores.softmax(dim=-1) @ V, read
