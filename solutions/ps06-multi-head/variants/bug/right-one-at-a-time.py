# right: a loop in which each word looks at what is before it
class MendedWriter(Writer):
    def forward(self, x, source, lengths, past=None):
        read = x[:, :0] if past is None else past
        outputs = []
        for t in range(x.shape[1]):
            word = x[:, t : t + 1]
            read = torch.cat([read, word], dim=1)
            y = word + self.look(
                word @ self.W_Q, read @ self.W_K, read @ self.W_V
            )
            z = self.look(
                y @ self.U_Q, source @ self.U_K, source @ self.U_V, lengths[:, None]
            )
            outputs.append(y + z)
        return torch.cat(outputs, dim=1), read
