# wrong: puts the batch axis at the end of the codes
# loses: bug--tokens bug--order bug--company bug--start bug--sizes bug--inputs
# told: `MendedPlaces` stops with RuntimeError: The size of tensor
class MendedPlaces(Places):
    def forward(self, x, start=0):
        codes = self.table[start : start + x.shape[1]].transpose(1, 2)
        return x + codes
