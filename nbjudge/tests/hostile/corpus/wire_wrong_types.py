"""Answers each question with what no verb gives: other keys, other types, other numbers.

kind: the wire
honest: 0
exercise: shift
seen: not a message|came back is not|kernel ran nothing more|died
"""

import os
import socket

from nbjudge.inside import wire
from nbjudge.inside.testing import learner

LIES = (
    {"id": True, "is": "value", "value": None},
    {"id": 1, "is": "value", "value": None, "score": 99},
    {"is": "missing", "id": 2, "value": {"name": "x"}},
    ["value", 3],
    {"id": 2, "is": "value", "value": True},
    "ok",
)


class Shift(nn.Module):
    pass


def serve():
    with socket.socket(socket.AF_UNIX) as talk:
        talk.connect(os.environ["NBJUDGE_WIRE"])
        channel = wire.Channel(talk, names=True)
        question = channel.receive()
        for lie in LIES:
            channel.send({"id": question["id"], "is": "value", "value": None})
            question = channel.receive()
            channel.send(lie)


learner.serve = serve
