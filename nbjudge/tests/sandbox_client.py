"""What the tests of the sandbox share: run code in a kernel, look at the machine from outside."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from jupyter_client import BlockingKernelClient

from nbjudge.inside.processes import Proc


class Session:
    """A client of one kernel; a context manager that hangs up."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.client = BlockingKernelClient()
        self.client.load_connection_info(kernel.connection)
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.stop_channels()

    def run(self, code: str, timeout: float = 30) -> str:
        """What a cell prints, and the name of its error."""
        output = []

        def heard(message):
            content = message["content"]
            if message["msg_type"] == "stream":
                output.append(content["text"])
            elif message["msg_type"] == "error":
                output.append(f"{content['ename']}: {content['evalue']}\n")
            elif message["msg_type"] in ("execute_result", "display_data"):
                output.append(" ".join(content["data"]) + "\n")

        self.client.execute_interactive(
            code, timeout=timeout, store_history=False, output_hook=heard
        )
        return "".join(output).strip()

    def start(self, code: str) -> None:
        """Run a cell without waiting for it."""
        self.client.execute(code, store_history=False)


def below(pid: int) -> list[int]:
    """The processes that descend from one, itself not among them."""
    proc = Proc()
    try:
        return [p.pid for p in proc.below(pid) if p.pid != pid]
    finally:
        proc.close()


def soon(happened: Callable[[], bool], seconds: float = 15) -> bool:
    """Whether it happens within so many seconds."""
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def running(pid: int) -> bool:
    """Whether a process is there and not yet dead."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
