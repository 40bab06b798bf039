# right: token by token
class MendedPlaces(Places):
    def forward(self, x, start=0):
        tokens = [x[:, t] + self.table[start + t] for t in range(x.shape[1])]
        return torch.stack(tokens, dim=1)
