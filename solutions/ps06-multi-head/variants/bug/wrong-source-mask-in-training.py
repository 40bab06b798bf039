# wrong: both masks in training alone
# loses: bug--eval bug--reading-on bug--source bug--same bug--train bug--mode
# told: source's padding changes
class MendedWriter(Writer):
    def forward(self, x, source, lengths, past=None):
        B, T, _ = x.shape
        read = x if past is None else torch.cat([past, x], dim=1)
        counts = torch.arange(1, T + 1).expand(B, T) if self.training else None
        Q, K, V = x @ self.W_Q, read @ self.W_K, read @ self.W_V
        y = x + self.look(Q, K, V, counts)
        words = lengths[:, None].expand(B, T) if self.training else None
        Q, K, V = y @ self.U_Q, source @ self.U_K, source @ self.U_V
        return y + self.look(Q, K, V, words), read
