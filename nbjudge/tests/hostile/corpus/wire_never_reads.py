"""Comes to the examiner and never reads what it is asked, nor answers.

kind: the wire
honest: 0
exercise: attend
seen: ran nothing more after attend
"""

import os
import socket
import time

from nbjudge.inside.testing import learner


def serve():
    with socket.socket(socket.AF_UNIX) as talk:
        talk.connect(os.environ["NBJUDGE_WIRE"])
        talk.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        time.sleep(1000)


learner.serve = serve
