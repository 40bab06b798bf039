"""Bytes with something done to them."""

import random


def mutated(message: bytes, draw: random.Random) -> bytes:
    """The message with something done to its bytes."""
    mutant = bytearray(message)
    for _ in range(draw.choice([1, 1, 2, 5, 20])):
        at = draw.randrange(len(mutant) + 1)
        match draw.randrange(6):
            case 0 if at < len(mutant):
                mutant[at] ^= 1 << draw.randrange(8)
            case 1 if at < len(mutant):
                mutant[at] = draw.randrange(256)
            case 2:
                del mutant[at : at + draw.randrange(1, 9)]
            case 3:
                mutant[at:at] = draw.randbytes(draw.randrange(1, 9))
            case 4:
                mutant[at:at] = mutant[at : at + draw.randrange(1, 40)]
            case 5:
                odd = [b"\xdd\xff\xff\xff\xff", b"\xdf\x00\x00\x00\x01", b"\xc7\x01\x05", b"\xc1"]
                mutant[at : at + 1] = draw.choice(odd)
        if not mutant:
            mutant = bytearray(b"\0")
    return bytes(mutant)
