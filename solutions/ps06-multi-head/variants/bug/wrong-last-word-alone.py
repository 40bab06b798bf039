# wrong: gives the outputs of the last word alone
# loses: bug--eval bug--train bug--reading-on bug--source bug--same bug--mode
# told: shape \(2, 1, 4\), it must be \(2, 4, 4\)
class MendedWriter(Writer):
    def forward(self, x, source, lengths, past=None):
        read = x if past is None else torch.cat([past, x], dim=1)
        last = read[:, -1:]
        y = last + self.look(last @ self.W_Q, read @ self.W_K, read @ self.W_V)
        z = self.look(y @ self.U_Q, source @ self.U_K, source @ self.U_V, lengths[:, None])
        return y + z, read
