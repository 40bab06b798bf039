"""A local web server that misbehaves on demand, and remembers its requests."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server:
    """``files``: what each path holds; ``plans``: for each path what its next answers do.

    A plan's step is ``"ok"``, ``("cut", N)`` (the connection ends after N bytes), ``("stall", N)``
    (nothing comes after N bytes), ``("status", CODE)``, ``("to", PATH)`` or ``"other"`` (other
    bytes). After its last step a path behaves.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.plans: dict[str, list] = {}
        self.asked: list[str] = []
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
                server.asked.append(self.path)
                plan = server.plans.get(self.path, [])
                step = plan.pop(0) if plan else "ok"
                step, value = step if isinstance(step, tuple) else (step, None)
                if step == "status" or self.path not in server.files:
                    self.empty(value or 404)
                    return
                if step == "to":
                    self.empty(302, Location=value)
                    return
                body = server.files[self.path]
                body = bytes(len(body)) if step == "other" else body
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[:value])
                if step == "stall":
                    server.released.wait(20)
                self.close_connection = step in ("cut", "stall")

            def empty(self, status, **headers):
                self.send_response(status)
                for name, text in headers.items():
                    self.send_header(name, text)
                self.send_header("Content-Length", "0")
                self.end_headers()

        return Handler
