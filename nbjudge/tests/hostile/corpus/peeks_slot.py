"""Connects to the examiner's socket first, many times, and asks it what it is asked.

kind: peeking
honest: 0
exercise: double
"""

import os
import socket
import threading

held = []
path = os.environ.get("NBJUDGE_WIRE", "")
for _ in range(20 if path else 0):
    one = socket.socket(socket.AF_UNIX)
    one.settimeout(0.05)
    try:
        one.connect(path)
    except OSError:
        break
    held.append(one)


def babble(one):
    one.settimeout(3)
    try:
        one.sendall(b"\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x00hello")
        while one.recv(4096):
            one.sendall(b"?" * 100)
    except OSError:
        return


for one in held:
    threading.Thread(target=babble, args=(one,), daemon=True).start()
