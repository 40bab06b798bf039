"""Serves the examiner itself, and says that a message of many terabytes follows.

kind: the wire
honest: 0
exercise: double
seen: not a message|came back is not|kernel ran nothing more|died
"""

import os
import socket

from nbjudge.inside.testing import learner


def serve():
    with socket.socket(socket.AF_UNIX) as talk:
        talk.connect(os.environ["NBJUDGE_WIRE"])
        while talk.recv(1 << 16):
            talk.sendall((1 << 20).to_bytes(4, "big") + (1 << 50).to_bytes(8, "big") + b"x" * 1000)


learner.serve = serve
