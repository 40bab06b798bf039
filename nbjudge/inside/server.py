"""A fork server: loads torch and the kernel once, then forks a child for each request.

Run as a program with its settings as JSON on its standard input. It talks over one socket: a
request comes as a message with the child's sockets, and the child's watcher answers on them. When
the other end closes, the server ends, and in its jail everything ends with it.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Sequence
from time import monotonic
from types import ModuleType

#: What a server loads first if the course switches a library on: for examiners, and for learners.
LIBRARIES = {
    "torch": (
        ("torch",),
        (
            "torch",
            "torch.nn.functional",
            # Loaded by the first use of a device as a context or as the default, and by the first
            # operator after that.
            "torch.utils._device",
            "torch._subclasses.schema_check_mode",
            "torch.utils.serialization.config",
        ),
    ),
    "numpy": (
        ("numpy", "numpy.random"),
        ("numpy", "numpy.random", "matplotlib.pyplot", "matplotlib.backends.backend_agg"),
    ),
}

#: The learners' server has these loaded before it forks.
LEARNERS = (
    "ipykernel.kernelapp",
    "ipykernel.zmqshell",
    # What the kernel would import when it starts, a tenth of a second of it.
    "ipykernel.debugger",
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.core.oinspect",
    "IPython.extensions.storemagic",
    # It needs ctypes, which nobody can load later, and is at the top of many a notebook.
    "IPython.extensions.autoreload",
    "tornado.platform.asyncio",
    "encodings.ascii",
    "encodings.idna",
    "encodings.latin_1",
    "nbjudge.inside.kernel",
    "nbjudge.inside.testing.learner",
)


def examiners() -> tuple[str, ...]:
    """What the examiners' server loads before it forks, besides the examiner itself."""
    return tuple(name for library in _libraries() for name in library[0])


def learners() -> tuple[str, ...]:
    """What the learners' server loads before it forks."""
    return (*(name for library in _libraries() for name in library[1]), *LEARNERS)


def _libraries() -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    from nbjudge.inside.program import values_on

    return [LIBRARIES[name] for name in LIBRARIES if name in values_on()]


def offer_testing() -> None:
    """Let ``import nbjudge.testing`` work where only this folder of the package is.

    Cells import it under that name; what else there is has no other name than its own.
    """
    inner = sys.modules.get("nbjudge.inside.testing")
    if inner is None or importlib.util.find_spec("nbjudge.testing") is not None:
        return
    module = ModuleType("nbjudge.testing", inner.__doc__)
    vars(module).update({name: getattr(inner, name) for name in inner.__all__})
    vars(module)["__all__"] = inner.__all__
    sys.modules[module.__name__] = vars(sys.modules["nbjudge"])["testing"] = module


def warm_up(names: list[str]) -> None:
    """Run once, with one thread, what runs slowly or writes warnings the first time."""
    for name in names:
        if name.startswith("nbjudge.") and hasattr(sys.modules[name], "warm"):
            sys.modules[name].warm()
    if "matplotlib.pyplot" in sys.modules:
        import io

        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(2, 1))
        FigureCanvasAgg(figure)
        figure.subplots().plot([0, 1])
        figure.savefig(io.BytesIO(), format="png")
    if "IPython" in sys.modules:
        # The first traceback of a cell asks every module that is loaded for its file.
        from IPython.core.ultratb import AutoFormattedTB

        try:
            exec("1 / 0")
        except ZeroDivisionError:
            AutoFormattedTB(mode="Context").structured_traceback(*sys.exc_info())


def serve(control: socket.socket, without: Sequence[str] = ()) -> None:
    """Fork a child for each request, until the other end closes.

    What is to be without more than this process is without, the kinds ``without``, is forked from a
    server of its own, which is forked from this one: what takes long to take away is taken away
    once.
    """
    from nbjudge.inside import linux, seccomp
    from nbjudge.inside.request import MESSAGE, Request
    from nbjudge.inside.watcher import watch

    filter_program = seccomp.program() if seccomp.supported() else b""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    me = os.getpid()
    others: dict[tuple[str, ...], socket.socket] = {}
    while True:
        if poll.poll(500):
            try:
                message, files, _, _ = socket.recv_fds(control, MESSAGE, 2)
            except ConnectionError:
                return
            if not message:
                return
            sockets = [socket.socket(fileno=number) for number in files]
            request = Request.decode(message)
            kinds = request.forbidden
            if not set(kinds) <= set(without):
                for _ in range(2):  # one that has died is started again, once
                    if kinds not in others:
                        held = [control, *sockets, *others.values()]
                        others[kinds] = _server_without(kinds, held)
                    try:
                        socket.send_fds(others[kinds], [message], files)
                        break
                    except OSError:
                        others.pop(kinds).close()
            elif not os.fork():
                linux.die_with_parent(me)
                for mine in (control, *others.values()):
                    mine.close()
                status, *talk = sockets
                watch(request, status, talk[0] if talk else None, filter_program)
            for given in sockets:
                given.close()
        _collect()


def _server_without(kinds: Sequence[str], held: Sequence[socket.socket]) -> socket.socket:
    """Fork a server that is without these kinds, and holds none of this one's sockets."""
    from nbjudge.inside import linux
    from nbjudge.inside.testing import absent

    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    me = os.getpid()
    if os.fork():
        far.close()
        return near
    linux.die_with_parent(me)
    for one in (near, *held):
        one.close()
    absent.remove(*kinds)
    _freeze()
    serve(far, kinds)
    os._exit(0)


def _freeze() -> None:
    """Leave what is loaded where it is, in the children too.

    It is not searched for garbage before: that takes longer than loading a small library, and
    hardly anything is found.

    Raises
    ------
    RuntimeError
        If there are threads, which no child would have.
    """
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise RuntimeError(f"a fork server must have one thread, after loading it has {threads}")
    gc.freeze()


def _collect() -> None:
    """Take leave of watchers, and in a jail of orphans, that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def main() -> None:
    """Load, warm up, say so, serve."""
    settings = json.load(sys.stdin)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the grader
    sys.path[:] = settings["path"] + [p for p in sys.path if p not in settings["path"]]
    from nbjudge.inside import program
    from nbjudge.inside.cores import keep_to

    program.take(settings["program"])
    keep_to(settings["core"])
    began = monotonic()
    gc.disable()  # while modules are loaded there is nothing to collect
    control = socket.socket(fileno=settings["control"])
    for name in settings["modules"]:
        importlib.import_module(name)
    offer_testing()
    warm_up(settings["modules"])
    if settings["locked"]:
        importlib.import_module(settings["modules"][-1]).learn(settings["locked"])
    if settings["forbidden"]:
        from nbjudge.inside.testing import absent

        absent.remove(*settings["forbidden"])
    _freeze()
    gc.enable()
    sys.argv = [""]
    control.send(json.dumps({"ready": monotonic() - began}).encode())
    serve(control, settings["forbidden"])


if __name__ == "__main__":
    main()
