"""Sends a thousand answers before it is asked anything, for every number a question could have.

kind: the wire
honest: 0
exercise: double
"""

import os
import socket

from nbjudge.inside import wire
from nbjudge.inside.testing import learner


def serve():
    with socket.socket(socket.AF_UNIX) as talk:
        talk.connect(os.environ["NBJUDGE_WIRE"])
        for number in range(1, 1000):
            talk.sendall(wire.dumps({"id": number, "is": "value", "value": 6}))
        while talk.recv(1 << 16):
            continue


learner.serve = serve
