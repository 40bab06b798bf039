# wrong: hides the source's words as if they were still to come
# loses: bug--reading-on bug--source bug--same bug--eval bug--train bug--mode
# told: does not see the last word of the source
class MendedWriter(Writer):
    def forward(self, x, source, lengths, past=None):
        B, T, _ = x.shape
        read = x if past is None else torch.cat([past, x], dim=1)
        counts = (read.shape[1] - T + torch.arange(1, T + 1)).expand(B, T)
        Q, K, V = x @ self.W_Q, read @ self.W_K, read @ self.W_V
        y = x + self.look(Q, K, V, counts)
        words = torch.minimum(lengths[:, None], torch.arange(1, T + 1))
        Q, K, V = y @ self.U_Q, source @ self.U_K, source @ self.U_V
        return y + self.look(Q, K, V, words), read
