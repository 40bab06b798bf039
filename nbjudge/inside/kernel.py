"""A real ipykernel in a forked child: bound to sockets in its slot, without history."""

from __future__ import annotations

import json
import linecache
import logging
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import SimpleNamespace
from typing import Any

from ipykernel import debugger, ipkernel
from ipykernel.kernelapp import IPKernelApp
from IPython.core import inputtransformer2, shellapp

from nbjudge.inside.request import Request
from nbjudge.inside.testing import learner

#: IPython reads a whole cell once for each `%`, `!` or `?` in it. This is the maximum number of
#: lines read in total, about 0.25 s of processor time: 500 lines may hold 60 magics.
LINES_READ = 30_000

#: What a line contains if IPython might transform one of its tokens.
MAGIC = re.compile(r"[%!?]|^\s*[,;/]")

#: Modules with a line on the way to a random seed set in a cell: ``torch.manual_seed``, with which
#: most notebooks begin, records the source of each, once for each kind of device.
ON_THE_WAY = (
    *("tornado.platform.asyncio", "asyncio.base_events", "asyncio.events"),
    *("ipykernel.kernelapp", "ipykernel.kernelbase", "ipykernel.ipkernel", "ipykernel.zmqshell"),
    *("IPython.core.interactiveshell", "IPython.core.async_helpers"),
    *("torch.random", "torch.cuda", "torch.cuda.random", "torch.xpu", "torch.xpu.random"),
    *("torch.mtia", "torch.mps"),
)


@cache
def application() -> Any:
    """The kernel's class."""

    class App(IPKernelApp):
        """Skips the command line and configuration files, which take time to read."""

        #: The modules that `%reset` keeps.
        loaded = set(sys.modules)

        def parse_command_line(self, argv: object = None) -> None:
            """Do nothing."""

        def load_config_file(self, *args: object, **kwargs: object) -> None:
            """Do nothing."""

        def init_pdb(self) -> None:
            """Do nothing: it was done before the fork."""

        def _configure_logging(self) -> None:
            """Do nothing: logging is set up below."""

    IPKernelApp.init_pdb(App())
    log = logging.getLogger(App.__name__)  # its messages would appear among a cell's outputs
    log.addHandler(logging.NullHandler())
    log.propagate = False
    debugger._is_debugpy_available = False  # nobody debugs here
    return App


@contextmanager
def without_modules() -> Iterator[None]:
    """Hide the loaded modules from ipykernel and IPython, which would list them.

    Looking at each of the thousands of loaded modules would cost a forked process a copy of the
    memory that holds them.
    """
    hidden = SimpleNamespace(**vars(sys) | {"modules": {}})
    vars(ipkernel)["sys"] = vars(shellapp)["sys"] = hidden
    try:
        yield
    finally:
        vars(ipkernel)["sys"] = vars(shellapp)["sys"] = sys


@cache
def bound_transforms() -> None:
    """Make IPython give up on a cell whose magics would take quadratic time to read.

    By itself it gives up only after 500 of them, however long the cell is.
    """
    most = inputtransformer2.TRANSFORM_LOOP_LIMIT
    transform = inputtransformer2.TransformerManager.do_token_transforms

    def bounded(self: Any, lines: list[str]) -> list[str]:
        if not any(map(MAGIC.search, lines)):
            return lines  # IPython would return the same, after tokenising the cell
        times = LINES_READ // max(1, len(lines))  # one more pass finds that nothing is left
        inputtransformer2.TRANSFORM_LOOP_LIMIT = min(most, 1 + times)
        return transform(self, lines)

    manager: Any = inputtransformer2.TransformerManager
    manager.do_token_transforms = bounded


def warm() -> None:
    """Do the slow set-up in the process that kernels are forked from."""
    application()
    bound_transforms()
    for name in ON_THE_WAY:
        if name in sys.modules:
            linecache.getlines(str(sys.modules[name].__file__))


def prepare(request: Request) -> Any:
    """A kernel whose sockets are bound; its ``start()`` runs it and does not return.

    Only its class exists before the fork, because sockets, threads and event loops do not survive
    one.
    """
    learner.begin(
        forbidden=request.forbidden,
        seed=request.seed,
        wire_path=request.wire_path,
        message_bytes=int(request.limits.message_mb * 2**20),
    )
    slot = request.slot.path
    file = os.open(f"{slot}/k.json", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(file, "w") as out:
        json.dump(request.connection, out)
    # With a parent handle of 1 it neither polls for a parent nor prints how to connect.
    app = application().instance(connection_file=f"{slot}/k.json", parent_handle=1)
    app.config.HistoryManager.enabled = False
    with without_modules():
        app.initialize([])
    app.shell._sys_modules_keys = app.loaded
    return app
