# wrong: turns the axes if it fits
# loses: bug--tokens bug--order bug--company bug--sizes bug--start bug--inputs
# told: which axis of x
class MendedPlaces(Places):
    def forward(self, x, start=0):
        if x.shape[0] < x.shape[1]:
            return x + self.table[start : start + x.shape[0]]
        return x + self.table[start : start + x.shape[1], 0]
