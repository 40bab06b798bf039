# wrong: start read as the end
# loses: bug--start
# told: code of place 0
class MendedPlaces(Places):
    def forward(self, x, start=0):
        T = x.shape[1]
        end = start or T
        return x + self.table[end - T : end, 0]
