# wrong: the right number of codes along the wrong axis
# loses: bug--tokens bug--order bug--company bug--start bug--sizes bug--inputs
# told: which axis of x
class MendedPlaces(Places):
    def forward(self, x, start=0):
        return x + self.table[start : start + x.shape[1]]
