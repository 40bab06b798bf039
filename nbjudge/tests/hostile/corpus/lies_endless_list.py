"""Lists that never end, that are longer than they say, or that hold another thing each time.

kind: objects that lie
honest: 0
exercise: double
"""


class Endless(list):
    def __iter__(self):
        while True:
            yield 0

    def __len__(self):
        return 1


def double(x):
    return Endless([6])
