"""Takes memory in its cell until there is none.

kind: exhaustion
honest: 0
exercise: double
seen: memory|Memory|stopped
"""

held = []
while True:
    held.append(bytearray(b"\x01") * (1 << 26))
