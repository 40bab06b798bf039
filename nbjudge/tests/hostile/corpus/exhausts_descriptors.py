"""Opens all files, sockets, pipes and terminals that it can, and keeps them.

kind: exhaustion
honest: 0
exercise: double
"""

import os
import socket

held = []
try:
    while True:
        held.append(os.pipe())
        held.append(socket.socketpair())
        held[-1][0].setblocking(False)
        held[-1][0].send(b"x" * (1 << 17))
        held.append(os.openpty())
except OSError:
    pass
