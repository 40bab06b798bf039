# right: the middle axis taken out
class MendedPlaces(Places):
    def forward(self, x, start=0):
        return x + self.table.squeeze(1)[start : start + x.shape[-2]]
