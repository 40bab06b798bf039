# wrong: gives the codes back
# loses: bug--tokens bug--order bug--start bug--sizes bug--company bug--inputs
# told: codes come back alone
class MendedPlaces(Places):
    def forward(self, x, start=0):
        codes = self.table[start : start + x.shape[1], 0]
        return codes.expand(x.shape)
