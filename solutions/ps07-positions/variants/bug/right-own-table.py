# right: keeps the table the other way round
class MendedPlaces(Places):
    def __init__(self, codes):
        super().__init__(codes)
        self.table = codes.unsqueeze(0)

    def forward(self, x, start=0):
        places = torch.arange(start, start + x.size(1))
        return torch.index_select(self.table, 1, places) + x
