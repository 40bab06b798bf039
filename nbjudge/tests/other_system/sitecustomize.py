"""Another system, for the processes of a test: put this folder on ``PYTHONPATH``.

Modules that only Unix has cannot be imported. To the course's own modules ``sys``, ``os``,
``signal`` and ``socket`` look as they do there; installed packages see this machine, for which they
were built.
"""

import importlib.abc
import os
import signal
import socket
import sys
import types

SYSTEM = os.environ.get("OTHER_SYSTEM", "win32")

NO_MODULES = {
    "win32": {"resource", "fcntl", "pwd", "grp", "termios", "pty", "tty", "syslog"},
    "darwin": set(),
}[SYSTEM]

#: What is not there, by the module that it would be in.
ABSENT = {
    os: (
        *("sched_getaffinity", "sched_setaffinity", "pidfd_open", "memfd_create", "unshare"),
        *("setresuid", "setresgid", "posix_fallocate"),
    ),
    signal: ("pidfd_send_signal", "sigtimedwait"),
    socket: (),
    sys: (),
}
if SYSTEM == "win32":
    ABSENT[os] += (
        *("fork", "forkpty", "killpg", "getuid", "geteuid", "getgid", "setsid", "wait4", "uname"),
        *("O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY", "mkfifo", "chown", "getpgid", "getloadavg"),
    )
    ABSENT[signal] += ("SIGKILL", "SIGALRM", "alarm", "setitimer", "pthread_kill", "SIGXCPU")
    ABSENT[socket] += ("AF_UNIX", "send_fds", "recv_fds")

INSTEAD = {sys: {"platform": SYSTEM}, os: {"name": "nt" if SYSTEM == "win32" else "posix"}}


class Seen(types.ModuleType):
    """A module as another system has it."""

    def __init__(self, real):
        super().__init__(real.__name__)
        object.__setattr__(self, "_real", real)

    def __getattribute__(self, name):
        real = object.__getattribute__(self, "_real")
        if name in ABSENT[real]:
            raise AttributeError(f"module {real.__name__!r} has no attribute {name!r} here")
        return INSTEAD.get(real, {}).get(name) or getattr(real, name)

    def __setattr__(self, name, value):
        setattr(object.__getattribute__(self, "_real"), name, value)


#: The packages to which this machine looks like that.
OURS = ("tfcourse", "nbjudge")

SEEN = {real: Seen(real) for real in ABSENT}


class OtherSystem(importlib.abc.MetaPathFinder):
    """Refuses modules of Unix, and shows others to our packages as they are there."""

    def find_spec(self, name, path=None, target=None):
        if name in NO_MODULES and not _allowed():
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if name.partition(".")[0] not in OURS:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        if spec is not None and spec.loader is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = Loader(spec.loader)
        return spec


class Loader:
    """Loads a module that sees the other system while it runs and ever after."""

    def __init__(self, real):
        self.real = real

    def __getattr__(self, name):
        return getattr(self.real, name)

    def create_module(self, spec):
        return self.real.create_module(spec)

    def exec_module(self, module):
        code = self.real.get_code(module.__name__)
        module.__dict__["__builtins__"] = {**vars(__import__("builtins")), "__import__": _imported}
        exec(code, module.__dict__)


def _imported(name, globals=None, locals=None, fromlist=(), level=0):
    if level == 0 and name in NO_MODULES:  # another package may have loaded it already
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    module = __import__(name, globals, locals, fromlist, level)
    if level == 0 and module in SEEN:
        module = SEEN[module]
    return module


def _allowed():
    """Whether it is an installed package that was built for this machine and asks."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.partition(".")[0] in OURS:
            return False
        if not name.startswith(("importlib", "_frozen", "sitecustomize")):
            return True
        frame = frame.f_back
    return True


sys.meta_path.insert(0, OtherSystem())
