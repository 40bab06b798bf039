"""An object that is equal to everything and not unequal to anything.

kind: objects that lie
honest: 0
exercise: double
seen: returns a Yes
"""


class Yes:
    __hash__ = None

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __bool__(self):
        return True


def double(x):
    return Yes()
