"""An exception handler of its own swallows every error of the cells that follow.

kind: IPython
honest: 0
exercise: double
"""


def swallow(shell, kind, value, traceback, tb_offset=None):
    return []


get_ipython().set_custom_exc((BaseException,), swallow)
get_ipython().showtraceback = get_ipython()._showtraceback = lambda *args, **kwargs: None
