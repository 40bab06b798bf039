"""Objects that run code when they are unpickled, copied or sized.

kind: objects that lie
honest: 0
exercise: double
"""

import numpy


class Bomb:
    def __reduce__(self):
        return exec, ("import os; os.environ['BOMB'] = '1'; raise SystemExit",)

    __reduce_ex__ = __copy__ = lambda self, *args: self.__reduce__()

    def __deepcopy__(self, memo):
        raise SystemExit


def double(x):
    if x == 3:
        return numpy.array([Bomb()], dtype=object)
    return Bomb()
