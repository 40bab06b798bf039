# wrong: adds to the tokens where they are
# loses: bug--inputs
# told: changes its input x
class MendedPlaces(Places):
    def forward(self, x, start=0):
        x += self.table[start : start + x.shape[1], 0]
        return x
