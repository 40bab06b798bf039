# wrong: puts itself into training mode for good
# loses: bug--mode
# told: was in eval mode before the call
class MendedWriter(Writer):
    def forward(self, x, source, lengths, past=None):
        self.train()
        if past is None:
            return super().forward(x, source, lengths)
        P = past.shape[1]
        read = torch.cat([past, x], dim=1)
        return super().forward(read, source, lengths)[0][:, P:], read
