"""msgpack's own oddities: extensions, time stamps, keys that stand there twice, broken text.

kind: the wire
honest: 0
exercise: double
seen: not a message|came back is not|kernel ran nothing more|died
"""

import os
import socket

from nbjudge.inside.testing import learner

ODD = (
    b"\xd6\xff\x00\x00\x00\x00",
    b"\xc7\x00\x05",
    b"\x83\xa2id\x01\xa2is\xa5value\xa5value\x06",
    b"\x95\xa1d\xa1a\x01\xa1a\x02",
    b"\x92\xa1l\xa4\xff\xfe\xed\xa0",
    b"\xdd\xff\xff\xff\xff",
    b"\xc1",
    b"",
)


def serve():
    with socket.socket(socket.AF_UNIX) as talk:
        talk.connect(os.environ["NBJUDGE_WIRE"])
        for odd in ODD:
            talk.recv(1 << 16)
            talk.sendall(len(odd).to_bytes(4, "big") + bytes(8) + odd)


learner.serve = serve
