# wrong: hides each word from itself, so the first sees nothing
# loses: bug--eval bug--train bug--reading-on bug--source bug--same bug--mode
# told: is NaN
class MendedWriter(Writer):
    def forward(self, x, source, lengths, past=None):
        B, T, _ = x.shape
        read = x if past is None else torch.cat([past, x], dim=1)
        counts = (read.shape[1] - T + torch.arange(T)).expand(B, T)
        Q, K, V = x @ self.W_Q, read @ self.W_K, read @ self.W_V
        y = x + self.look(Q, K, V, counts)
        words = lengths[:, None].expand(B, T)
        Q, K, V = y @ self.U_Q, source @ self.U_K, source @ self.U_V
        return y + self.look(Q, K, V, words), read
