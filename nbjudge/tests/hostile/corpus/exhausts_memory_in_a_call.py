"""Takes memory when it is called, in tensors and in pieces too small to be refused.

kind: exhaustion
honest: 0
exercise: attend
seen: memory|Memory|stopped
"""


def attend(Q, K, V):
    held = []
    while True:
        held.append(torch.ones(1 << 20))
        held.append([0] * 100_000)
