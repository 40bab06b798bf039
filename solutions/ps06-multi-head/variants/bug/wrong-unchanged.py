# wrong: the published code as it was
# loses: bug--eval bug--reading-on bug--same
# told: in eval mode.*looks ahead
class MendedWriter(Writer):
    pass
