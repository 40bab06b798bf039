"""Sends open files along with its answers, and closes half of the connection.

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
        for number in range(1, 20):
            talk.recv(1 << 16)
            files = [os.open("/dev/null", os.O_RDONLY) for _ in range(20)]
            answer = wire.dumps({"id": number, "is": "value", "value": None})
            socket.send_fds(talk, [answer], files)
            if number == 3:
                talk.shutdown(socket.SHUT_WR)


learner.serve = serve
