"""Tensors of fewer numbers than their shape says, of no type there is, of booleans that are 7.

kind: the wire
honest: 0
exercise: attend
seen: not a message|came back is not|kernel ran nothing more|died
"""

import os
import socket

import msgpack
from nbjudge.inside import wire
from nbjudge.inside.testing import learner

TENSORS = (
    (["T", "float32", [2, 4], False], b"\0" * 4),
    (["T", "float32", [-1, -8], False], b"\0" * 32),
    (["T", "object", [1], False], b"\0" * 8),
    (["A", "O", [1], False], b"\0" * 8),
    (["T", "bool", [2, 4], False], b"\x07" * 8),
    (["T", "float32", [1 << 40, 1 << 40, 0], False], b""),
    (["T", "int64", [0] * 17, True], b""),
    (["n", "close"], b""),
    (["o", 0], b""),
)


def serve():
    turn = 0
    with socket.socket(socket.AF_UNIX) as talk:
        talk.connect(os.environ["NBJUDGE_WIRE"])
        channel = wire.Channel(talk, names=True)
        while True:
            number = channel.receive()["id"]
            tree, blob = TENSORS[turn % len(TENSORS)]
            turn += 1
            packed = msgpack.packb(["d", "id", number, "is", "value", "value", tree])
            talk.sendall(wire.HEADER.pack(len(packed), len(blob)) + packed + blob)


learner.serve = serve
