"""Answers, a byte every tenth of a second.

kind: the wire
honest: 0
exercise: double
seen: ran nothing more after double
"""

import os
import socket
import time

from nbjudge.inside import wire
from nbjudge.inside.testing import learner


def serve():
    with socket.socket(socket.AF_UNIX) as talk:
        talk.connect(os.environ["NBJUDGE_WIRE"])
        while talk.recv(1 << 16):
            for byte in wire.dumps({"id": 1, "is": "value", "value": None}):
                talk.sendall(bytes([byte]))
                time.sleep(0.1)


learner.serve = serve
