# wrong: the published code as it was
# loses: bug--eval bug--reading-on bug--same bug--train bug--mode
# told: in eval mode.*looks ahead
class MendedReader(Reader):
    pass
