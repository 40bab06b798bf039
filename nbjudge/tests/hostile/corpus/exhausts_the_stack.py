"""Recursion without end, in Python, in C and in the source itself.

kind: exhaustion
honest: 0
exercise: double
"""

import functools
import sys

sys.setrecursionlimit(10**9)


def double(x):
    return functools.reduce(lambda f, _: lambda y: f(y) + 1, range(10**6), lambda y: y)(x)


deep = eval("lambda: " + "not " * 50)
text = "-" * 200
try:
    exec(compile("x = " + "(" * 90 + "1" + ")" * 90, "deep", "exec"))
    eval("-" * 5000 + "1")
except (SyntaxError, MemoryError, RecursionError):
    pass
double(1)
