# right: the words of past are counted
class MendedWriter(Writer):
    def forward(self, x, source, lengths, past=None):
        seen, read = 0, x
        if past is not None:
            seen, read = past.shape[1], torch.cat((past, x), 1)
        counts = torch.arange(x.shape[1]).repeat(len(x), 1) + seen + 1
        y = self.look(x @ self.W_Q, read @ self.W_K, read @ self.W_V, counts) + x
        words = lengths.repeat(x.shape[1], 1).T
        z = self.look(y @ self.U_Q, source @ self.U_K, source @ self.U_V, words)
        return y + z, read
