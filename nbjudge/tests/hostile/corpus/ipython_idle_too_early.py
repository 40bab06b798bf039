"""Says for the running cell that it has ended, and goes on; every later cell is answered at once.

kind: IPython
honest: 0
exercise: double
"""

import time

kernel = get_ipython().kernel
parent, ident = kernel.get_parent("shell"), kernel._parent_ident["shell"]
reply = {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}
kernel.session.send(kernel.shell_stream, "execute_reply", reply, parent=parent, ident=ident)
kernel.session.send(kernel.iopub_socket, "status", {"execution_state": "idle"}, parent=parent)
until = time.monotonic() + 1.5
while time.monotonic() < until:
    pass
