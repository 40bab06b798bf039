# right: a loop in which each token looks at what is before it
class MendedReader(Reader):
    def forward(self, x, past=None):
        read = past if past is not None else x[:, :0]
        outputs = []
        for t in range(x.shape[1]):
            token = x[:, t : t + 1]
            read = torch.cat([read, token], dim=1)
            q, K, V = token @ self.W_Q, read @ self.W_K, read @ self.W_V
            weights = (q @ K.transpose(1, 2) / math.sqrt(q.shape[-1])).softmax(-1)
            outputs.append(weights @ V)
        return torch.cat(outputs, dim=1), read
