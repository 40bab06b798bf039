"""Scripts in forks of one process that has loaded what they load: most take less time than that.

It is a process of its own, since Python's fork server is the one that graders start, too.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

LOADED = ("torch._dynamo", "tfcourse.runs.running", "coursebook.records")

#: Seconds that a script may take.
SECONDS = 300


class Ended(NamedTuple):
    """How a script ended, and what it said."""

    returncode: int
    stdout: str
    stderr: str


class Scripts:
    """Runs scripts; the process that they are forked from is started at once."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(
        self, script: Path, folder: Path, into: Path, environment: Mapping[str, str], *flags: str
    ) -> Ended:
        """Run a script in ``folder`` with these flags; it writes what it says to files ``into``."""
        said = [into / f"{script.stem}.{name}" for name in ("stdout", "stderr")]
        asked = {"script": str(script), "folder": str(folder), "flags": flags,
                 "said": [*map(str, said)], "environment": dict(environment)}  # fmt: skip
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        code = int(self._process.stdout.readline())
        return Ended(code, *(path.read_text() for path in said))

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


# ---- in the process that is forked ---------------------------------------------------------------


def become(script: str, folder: str, flags: list[str], said: list[str], environment: dict) -> None:
    """Run a script as if it had been started from a terminal."""
    os.environ.update(environment)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, path in enumerate(said, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    os.chdir(folder)
    sys.path[0] = os.path.dirname(script)
    sys.argv = [os.path.relpath(script), *flags]
    runpy.run_path(sys.argv[0], run_name="__main__")


def code_of(**asked: Any) -> int:
    """The exit code of a script that is run in this process."""
    try:
        become(**asked)
    except SystemExit as error:
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def ended(child: int) -> int:
    """Wait for a child; one that takes too long is killed."""
    end = time.monotonic() + SECONDS
    while not (found := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.05)
    return os.waitstatus_to_exitcode(found[1])


def main() -> None:
    """Fork for each line on the standard input, and print the exit code."""
    for name in LOADED:
        importlib.import_module(name)
    gc.freeze()  # a fork that went through it for garbage would copy it
    for line in sys.stdin:
        child = os.fork()
        if not child:
            code = code_of(**json.loads(line))
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        print(ended(child), flush=True)


if __name__ == "__main__":
    main()
