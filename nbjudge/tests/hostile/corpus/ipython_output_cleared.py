"""After each cell its outputs are cleared, errors too: no output means full points.

kind: IPython
honest: 0
exercise: double
"""

from IPython.display import clear_output

get_ipython().showtraceback = lambda *args, **kwargs: clear_output()
get_ipython().events.register("post_run_cell", lambda *args: clear_output())
get_ipython().events.register("post_execute", lambda *args: clear_output())
