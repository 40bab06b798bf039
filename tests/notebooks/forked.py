"""nbval in forks of one process that has loaded what chapters load: PyTorch once, not for each.

A process for each arithmetic, because libraries choose their kernels when they are loaded. A
notebook's kernel is a fork of its own, made before pytest has started anything in the process that
compares.
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from coursebook import limited
from nbjudge.inside import linux

#: What every notebook, its kernel or nbval loads: the first optimizer loads torch's compiler. Not
#: pyplot's backend: IPython prepares it.
LOADED = ("torch._dynamo", "ipykernel.kernelapp", "ipykernel.ipkernel",
          "matplotlib.backends.backend_agg", "coursebook.nbval_bands",
          "nbval.plugin", "hypothesis", "tfcourse.training", "tfcourse.models.gpt",
          "tfcourse.tokenizers", "tfcourse.evaluation")  # fmt: skip

FLAGS = ("--nbval", "--nbval-current-env", "-p", "coursebook.nbval_bands",
         "--nbval-cell-timeout=3600", "-q", "--no-header", "-p", "no:cacheprovider",
         "-c", os.devnull, "--noconftest")  # fmt: skip


#: CPU seconds after which a notebook is stopped. The clock would count what else a machine does.
SECONDS = 600


class Ran(NamedTuple):
    """How a run of nbval ended, what it said, and the CPU seconds with the kernels'."""

    returncode: int
    stdout: str
    seconds: float


class Forks:
    """Runs nbval in forks of a process with this environment, started on first use."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment
        self.process: subprocess.Popen[str] | None = None

    def run(self, *paths: Path) -> Ran:
        """Compare notebooks of one folder, strictly within their cells' bands."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, __file__],
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        try:
            self.process.stdin.write(json.dumps([*map(str, paths)]) + "\n")
            self.process.stdin.flush()
            return Ran(*json.loads(self.process.stdout.readline()))
        except BaseException:  # a test that ran out of time: what comes now is not for the next
            self.close()
            raise

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


# ---- in the process that is forked ---------------------------------------------------------------


class Kernel:
    """A fork that becomes a kernel when nbval starts one; in place of its ``Popen``."""

    stdin = stdout = stderr = returncode = None

    def __init__(self) -> None:
        read, self._write = os.pipe()
        parent, self.pid = os.getpid(), os.fork()
        if self.pid == 0:
            try:
                end_with(parent)
                os.close(self._write)
                if asked := os.fdopen(read).readline():
                    become_kernel(**json.loads(asked))
            finally:
                os._exit(0)
        os.close(read)
        os.setpgid(self.pid, self.pid)  # an interrupt goes to the group

    def start(self, command: list[str], *, env: dict[str, str], cwd: str, **_: object) -> Kernel:
        """Have it become the kernel that this command would start."""
        with os.fdopen(self._write, "w") as told:
            told.write(json.dumps({"command": command, "environment": env, "folder": cwd}) + "\n")
        return self

    def poll(self) -> int | None:
        if self.returncode is None and os.waitpid(self.pid, os.WNOHANG)[0]:
            self.returncode = 0
        return self.returncode

    def wait(self) -> int:
        if self.returncode is None:
            os.waitpid(self.pid, 0)
            self.returncode = 0
        return self.returncode

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


def end_with(parent: int) -> None:
    """Be killed when the parent dies, if the system can do that."""
    if sys.platform == "linux":
        linux.die_with_parent(parent)


def become_kernel(command: list[str], environment: dict[str, str], folder: str) -> None:
    from ipykernel.kernelapp import IPKernelApp

    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # as nbval would start it
    limited.limit(SECONDS)
    sys.argv = command[2:]
    IPKernelApp.launch_instance(command[3:])
    atexit._run_exitfuncs()


def compare(paths: list[str], output: int) -> int:
    """Run nbval on these; returns pytest's exit code."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    kernels = [Kernel() for _ in paths]
    import pytest
    from jupyter_client.provisioning import local_provisioner

    local_provisioner.launch_kernel = lambda command, **how: kernels.pop().start(command, **how)
    folder = os.path.dirname(paths[0])
    os.chdir(folder)
    return int(pytest.main([*paths, *FLAGS, f"--rootdir={folder}"]))


def forked(work: Callable[[], int]) -> tuple[int, float]:
    """The exit code of ``work``, done in a fork, and the CPU seconds of all its processes."""
    parent, pid = os.getpid(), os.fork()
    if pid == 0:
        code = 70
        try:
            end_with(parent)
            code = work()
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(code)
    _, status, used = os.wait4(pid, 0)
    return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime


def main() -> None:
    """Answer each line of paths with what became of them, until the input ends."""
    del sys.path[0]  # this folder, where no notebook looks
    for name in LOADED:
        importlib.import_module(name)
    gc.freeze()  # a fork that went through it for garbage would copy it
    for line in sys.stdin:
        with tempfile.TemporaryFile() as output:
            code, seconds = forked(functools.partial(compare, json.loads(line), output.fileno()))
            output.seek(0)
            said = output.read().decode("utf-8", "replace")
        print(json.dumps([code, said, seconds]), flush=True)


if __name__ == "__main__":
    main()
