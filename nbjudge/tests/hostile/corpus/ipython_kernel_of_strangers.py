"""Garbage on the kernel's own sockets: other people's messages, ZeroMQ frames that are none.

kind: IPython
honest: 0
exercise: double
"""

import os
import socket
import threading

held = []
for number in range(3, 200):
    try:
        one = socket.socket(fileno=os.dup(number))
        if one.family == socket.AF_UNIX and one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            held.append(one)
    except OSError:
        continue


def garble(listener):
    listener.setblocking(True)
    while True:
        peer, _ = listener.accept()
        peer.sendall(b"\xff" + b"\x00" * 7 + b"\x01\x7f\x03\x00NULL" + b"\x00" * 48)
        peer.sendall(b"\x02" + b"\xff" * 8 + os.urandom(1 << 16))


for listener in held:
    threading.Thread(target=garble, args=(listener,), daemon=True).start()
get_ipython().kernel.shell_stream.close()
