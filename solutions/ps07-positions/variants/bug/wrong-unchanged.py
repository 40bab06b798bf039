# wrong: the published code as it was
# loses: bug--tokens bug--order bug--company bug--start bug--sizes bug--inputs
# told: which axis of x is the table laid along
class MendedPlaces(Places):
    pass
