# wrong: reshapes instead of turning
# loses: bug--tokens bug--company bug--start bug--sizes
# told: 101 at \[0, 1, 0\], it must be 102
class MendedPlaces(Places):
    def forward(self, x, start=0):
        B, T, d = x.shape
        x = x.reshape(T, B, d) + self.table[start : start + T]
        return x.reshape(B, T, d)
