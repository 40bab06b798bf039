"""An integer of a class of its own, equal to every other, that says it is of class `int`.

kind: objects that lie
honest: 0
exercise: double
"""


class Whole(int):
    @property
    def __class__(self):
        return int

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = int.__hash__


def double(x):
    return Whole(1)
