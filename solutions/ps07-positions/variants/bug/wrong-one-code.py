# wrong: one code for the whole text
# loses: bug--tokens bug--order bug--start bug--sizes bug--company bug--inputs
# told: code of the first one
class MendedPlaces(Places):
    def forward(self, x, start=0):
        return x + self.table[start]
