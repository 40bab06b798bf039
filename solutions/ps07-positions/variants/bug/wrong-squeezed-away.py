# wrong: puts the batch axis at the end of the codes
# loses: bug--tokens bug--order bug--company bug--start bug--sizes bug--inputs
# told: stops with|wrong in|it must be
class MendedPlaces(Places):
    def forward(self, x, start=0):
        codes = self.table[start : start + x.shape[1]].transpose(1, 2)
        return x + codes
