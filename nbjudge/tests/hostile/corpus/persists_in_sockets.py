"""Leaves listeners, locks and queues with names that the next kernel would use.

kind: persistence
honest: 0
exercise: double
"""

import fcntl
import os
import socket

held = []
for name in ("\0kernel", "\0tfcourse", "/tmp/hostile.sock", "/tmp/.X11-unix"):
    one = socket.socket(socket.AF_UNIX)
    try:
        one.bind(name)
        one.listen()
    except OSError:
        continue
    held.append(one)
for path in ("/tmp", "/dev/shm", os.path.dirname(os.environ.get("NBJUDGE_WIRE", "/tmp/x"))):
    try:
        number = os.open(path, os.O_RDONLY)
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.mkfifo(f"{path}/hostile-fifo")
    except OSError:
        continue
for port in (8786, 8787, *range(5555, 5565)):
    one = socket.socket()
    try:
        one.bind(("127.0.0.1", port))
        one.listen()
    except OSError:
        continue
    held.append(one)
