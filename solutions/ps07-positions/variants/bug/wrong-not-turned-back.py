# wrong: comes back tokens first
# loses: bug--tokens bug--order bug--company bug--start bug--sizes bug--inputs
# told: batch and tokens have changed places
class MendedPlaces(Places):
    def forward(self, x, start=0):
        x = x.transpose(0, 1)
        return x + self.table[start : start + x.shape[0]]
