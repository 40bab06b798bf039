"""Prints without end.

kind: exhaustion
honest: 0
exercise: double
seen: (?i)prints without end|stopped|ran out of time
"""

while True:
    print("mark me\n" * 10_000)
