# wrong: always from place 0
# loses: bug--start
# told: code of place 0
class MendedPlaces(Places):
    def forward(self, x, start=0):
        return x + self.table[: x.shape[1], 0]
