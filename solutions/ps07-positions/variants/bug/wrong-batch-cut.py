# wrong: counts places over the whole batch
# loses: bug--tokens bug--order bug--company bug--start bug--sizes bug--inputs
# told: `MendedPlaces` stops with RuntimeError: The size of tensor
class MendedPlaces(Places):
    def forward(self, x, start=0):
        B, T, d = x.shape
        flat = x.reshape(B * T, d)
        return (flat + self.table[start : start + B * T, 0]).view(B, T, d)
