"""A web server on this machine that misbehaves as it is told, and remembers what it was asked."""

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server:
    """``files``: what each path holds; ``plans``: for each path what its next answers do.

    A plan's step is ``"ok"``, ``("cut", N)``, ``("status", CODE)``, ``("to", PATH)``, ``"whole"``
    (ranges ignored), ``"other"`` (other bytes), ``"longer"``, ``"shorter"``, ``"askew"`` (another
    range than asked for), ``"unsized"`` (no length, cut off), ``"hang"`` or ``("slow", SECONDS)``.
    After its last step a path behaves.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.plans: dict[str, list] = {}
        self.asked: list[tuple[str, str | None]] = []
        self.released = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self._server.server_port}{path}"

    def add(self, path: str, content: bytes, *plan) -> str:
        self.files[path] = content
        self.plans[path] = list(plan)
        return self.url(path)

    @property
    def ranges(self) -> list[str | None]:
        return [asked for _, asked in self.asked]

    def _handler(server):  # noqa: N805  (self is the handler's)
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                try:
                    self.answer()
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def answer(self):
                asked = self.headers.get("Range")
                server.asked.append((self.path, asked))
                plan = server.plans.get(self.path, [])
                step = plan.pop(0) if plan else "ok"
                step, value = step if isinstance(step, tuple) else (step, None)
                if step == "status" or self.path not in server.files:
                    self.empty(value or 404, {"Retry-After": "0"})
                    return
                if step == "to":
                    self.empty(302, {"Location": value})
                    return
                if step == "hang":
                    server.released.wait(20)
                    self.close_connection = True
                    return
                content = server.files[self.path]
                content = {
                    "other": bytes(len(content)),
                    "longer": content + bytes(1000),
                    "shorter": content[:-1000],
                }.get(step, content)
                start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
                if start >= len(content) and step != "whole":
                    self.empty(416, {"Content-Range": f"bytes */{len(content)}"})
                    return
                if asked and step != "whole":
                    start = max(0, start - 7) if step == "askew" else start
                    self.send_response(206)
                    last = len(content) - 1
                    self.send_header("Content-Range", f"bytes {start}-{last}/{len(content)}")
                else:
                    start = 0
                    self.send_response(200)
                self.send(content[start:], step, value)

            def send(self, body, step, value):
                if step == "unsized":
                    self.send_header("Connection", "close")
                else:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if step in ("cut", "unsized"):
                    self.wfile.write(body[: value or 1000])
                    self.close_connection = True
                elif step == "slow":
                    for place in range(0, len(body), 4096):
                        self.wfile.write(body[place : place + 4096])
                        time.sleep(value)
                else:
                    self.wfile.write(body)

            def empty(self, status, headers):
                self.send_response(status)
                for name, text in headers.items():
                    self.send_header(name, text)
                self.send_header("Content-Length", "0")
                self.end_headers()

        return Handler
