"""Bytes with something done to them."""

import random

#: Beginnings of msgpack's long and odd values.
BEGINNINGS = (b"\xdd\xff\xff\xff\xff", b"\xdf\x00\x00\x00\x01", b"\xc7\x01\x05", b"\xc1")


def odd_bytes(draw: random.Random, content: bytes) -> bytes:
    """Bytes with a few of them changed, left out, doubled or put in."""
    made = bytearray(content)
    for _ in range(draw.choice([1, 1, 2, 5, 20])):
        at = draw.randrange(len(made) + 1)
        how = draw.randrange(8)
        if how == 0 and at < len(made):
            made[at] ^= 1 << draw.randrange(8)
        elif how == 1 and at < len(made):
            made[at] = draw.choice(b"\x00\x7f\x80\x90\x9f\xc0\xc1\xc4\xc7\xd9\xdc\xdd\xdf\xff")
        elif how == 2:
            del made[at : at + draw.randint(1, 20)]
        elif how == 3:
            made[at:at] = draw.randbytes(draw.randint(1, 9))
        elif how == 4:
            made[at:at] = made[at : at + draw.randint(1, 50)]
        elif how == 5:
            made[at : at + 1] = draw.choice(BEGINNINGS)
        elif how == 6 and at < len(made):
            made[at] = draw.randrange(256)
        elif how == 7 and draw.random() < 0.5:
            del made[at:]
    return bytes(made)
