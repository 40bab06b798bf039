"""Bytes with something done to them."""

import random


def mutated(message: bytes, draw: random.Random) -> bytes:
    """The message with something done to its bytes."""
    found = bytearray(message)
    for _ in range(draw.choice([1, 1, 2, 5, 20])):
        at = draw.randrange(len(found) + 1)
        match draw.randrange(6):
            case 0 if at < len(found):
                found[at] ^= 1 << draw.randrange(8)
            case 1 if at < len(found):
                found[at] = draw.randrange(256)
            case 2:
                del found[at : at + draw.randrange(1, 9)]
            case 3:
                found[at:at] = draw.randbytes(draw.randrange(1, 9))
            case 4:
                found[at:at] = found[at : at + draw.randrange(1, 40)]
            case 5:
                odd = [b"\xdd\xff\xff\xff\xff", b"\xdf\x00\x00\x00\x01", b"\xc7\x01\x05", b"\xc1"]
                found[at : at + 1] = draw.choice(odd)
        if not found:
            found = bytearray(b"\0")
    return bytes(found)
