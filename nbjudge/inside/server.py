"""A fork server: loads torch and the kernel once, then forks a child for each request.

:mod:`.start` runs it. It communicates over one socket: a request is a message that carries the
child's sockets, and the child's watcher answers on them. When the other end closes, the server
exits, and everything in its jail exits with it.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import io
import json
import os
import select
import socket
import sys
from collections.abc import Iterable
from time import monotonic
from types import ModuleType

from nbjudge.inside import linux, program, seccomp
from nbjudge.inside.cores import keep_to
from nbjudge.inside.messages import from_json
from nbjudge.inside.request import MESSAGE, Request, ServerSettings
from nbjudge.inside.watcher import watch

#: What a server loads first if the course enables a library: for examiners, and for learners.
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
    "pandas": (("pandas",), ("pandas",)),
    "scipy": (("scipy.sparse",), ("scipy.sparse", "scipy.stats", "scipy.optimize")),
}

#: What the servers of a notebook load first that imports a library, besides that.
IMPORTED = {
    "numpy": ("numpy", "numpy.random"),
    "pandas": ("pandas",),
    "scipy": ("scipy.sparse", "scipy.stats", "scipy.optimize"),
}

#: Modules that the learners' server loads before it forks.
LEARNERS = (
    "ipykernel.kernelapp",
    "ipykernel.zmqshell",
    # The kernel would import these when it starts, which takes 0.1 s.
    "ipykernel.debugger",
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.core.oinspect",
    "IPython.extensions.storemagic",
    "IPython.extensions.autoreload",  # many notebooks load it first
    "tornado.platform.asyncio",
    "encodings.ascii",
    "encodings.idna",
    "encodings.latin_1",
    "nbjudge.inside.kernel",
    "nbjudge.inside.testing.learner",
)


def examiners() -> tuple[str, ...]:
    """The modules that the examiners' server loads before it forks, besides the examiner itself."""
    return tuple(name for library in _libraries() for name in library[0])


def learners() -> tuple[str, ...]:
    """The modules that the learners' server loads before it forks."""
    return (*(name for library in _libraries() for name in library[1]), *LEARNERS)


def imported(roots: Iterable[str]) -> tuple[str, ...]:
    """The modules to load for a notebook that imports these libraries, if they are installed."""
    known = [root for root in IMPORTED if root in set(roots) and importlib.util.find_spec(root)]
    return tuple(module for root in known for module in IMPORTED[root])


def _libraries() -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return [LIBRARIES[name] for name in LIBRARIES if name in program.values_on()]


def offer_testing() -> None:
    """Make ``import nbjudge.testing`` work where only this folder of the package exists.

    Cells import it under that name; everything else here keeps its own.
    """
    inner = sys.modules.get("nbjudge.inside.testing")
    if inner is None or importlib.util.find_spec("nbjudge.testing") is not None:
        return
    module = ModuleType("nbjudge.testing", inner.__doc__)
    vars(module).update({name: getattr(inner, name) for name in inner.__all__})
    vars(module)["__all__"] = inner.__all__
    sys.modules[module.__name__] = vars(sys.modules["nbjudge"])["testing"] = module


def warm_up(names: list[str]) -> None:
    """Run once, with one thread, what is slow or prints warnings the first time."""
    for name in names:
        if name.startswith("nbjudge.") and hasattr(sys.modules[name], "warm"):
            sys.modules[name].warm()
    if "matplotlib.pyplot" in sys.modules:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(2, 1))
        FigureCanvasAgg(figure)
        figure.subplots().plot([0, 1])
        figure.savefig(io.BytesIO(), format="png")
    if "IPython" in sys.modules:
        # A cell's first traceback looks up the file of every loaded module.
        from IPython.core.ultratb import AutoFormattedTB

        try:
            exec("1 / 0")
        except ZeroDivisionError:
            AutoFormattedTB(mode="Context").structured_traceback(*sys.exc_info())


def serve(control: socket.socket) -> None:
    """Fork a child for each request, until the other end closes."""
    filter_program = seccomp.program() if seccomp.supported() else b""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    me = os.getpid()
    while True:
        if poll.poll(500):
            try:
                message, files, _, _ = socket.recv_fds(control, MESSAGE, 2)
            except ConnectionError:
                return
            if not message:
                return
            sockets = [socket.socket(fileno=number) for number in files]
            if not os.fork():
                linux.die_with_parent(me)
                control.close()
                status, *talk = sockets
                watch(Request.decode(message), status, talk[0] if talk else None, filter_program)
            for given in sockets:
                given.close()
        _collect()


def _freeze() -> None:
    """Exclude what is loaded from garbage collection, in the children too.

    Garbage is not collected first: that takes longer than loading a small library, and finds
    almost nothing.

    Raises
    ------
    RuntimeError
        If there are other threads, because no child would have them.
    """
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise RuntimeError(f"a fork server must have one thread, after loading it has {threads}")
    gc.freeze()
    linux.use_huge_pages()


def _collect() -> None:
    """Reap watchers that have ended and, in a jail, orphans."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def main(text: str) -> None:
    """Load, warm up, report ready, serve."""
    settings = from_json(text, ServerSettings)
    program.take(settings.program)
    keep_to(settings.core)
    began = monotonic()
    gc.disable()  # loading modules creates no garbage worth collecting
    control = socket.socket(fileno=settings.control)
    for name in settings.modules:
        importlib.import_module(name)
    offer_testing()
    warm_up(settings.modules)
    if settings.locked or settings.known:
        examiner = importlib.import_module(settings.modules[-1])
        examiner.learn(settings.locked, settings.known)
    _freeze()
    gc.enable()
    sys.argv = [""]
    control.send(json.dumps({"ready": monotonic() - began}).encode())
    serve(control)
