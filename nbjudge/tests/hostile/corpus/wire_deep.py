"""Serves the examiner itself with lists in lists, a hundred thousand deep.

kind: the wire
honest: 0
exercise: double
seen: not a message|came back is not|kernel ran nothing more|died
"""

import os
import socket

from nbjudge.inside.testing import learner


def serve():
    deep = b"\x92\xa1l" * 100_000 + b"\xc0"
    with socket.socket(socket.AF_UNIX) as talk:
        talk.connect(os.environ["NBJUDGE_WIRE"])
        while talk.recv(1 << 16):
            talk.sendall(len(deep).to_bytes(4, "big") + bytes(8) + deep)


learner.serve = serve
