"""A real ipykernel in a forked child: bound to sockets in its slot, without a history."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import SimpleNamespace
from typing import Any

from nbjudge.inside.request import Request

#: The kernel's channels and the numbers that its sockets' names end with.
PORTS = {"shell_port": 1, "iopub_port": 2, "stdin_port": 3, "control_port": 4, "hb_port": 5}

#: IPython reads a whole cell once for each `%`, `!` or `?` in it. It may read this many lines in
#: all, which takes a quarter of a second of the processor: 500 lines may hold 60 magics.
LINES_READ = 30_000


def connection(slot: str, key: str) -> dict[str, Any]:
    """What a Jupyter client needs to talk to the kernel in this slot."""
    return {
        "transport": "ipc",
        "ip": f"{slot}/k",
        "key": key,
        "signature_scheme": "hmac-sha256",
        "kernel_name": "",
        **PORTS,
    }


@cache
def application() -> Any:
    """The kernel's class."""
    from ipykernel import debugger
    from ipykernel.kernelapp import IPKernelApp

    class App(IPKernelApp):
        """Has neither a command line nor files of settings to read, which takes a while."""

        #: What `%reset` leaves.
        loaded = set(sys.modules)

        def parse_command_line(self, argv=None):
            """Nothing."""

        def load_config_file(self, *args, **kwargs):
            """Nothing."""

        def init_pdb(self):
            """Nothing: it was done before the fork."""

        def _configure_logging(self):
            """Nothing: neither."""

    IPKernelApp.init_pdb(App())
    log = logging.getLogger(App.__name__)  # what it has to say would stand among a cell's outputs
    log.addHandler(logging.NullHandler())
    log.propagate = False
    debugger._is_debugpy_available = False  # nobody debugs here
    return App


@contextmanager
def without_modules() -> Iterator[None]:
    """Hide the loaded modules from ipykernel and IPython, which would list them.

    To look at each of the thousands that are loaded costs a forked process a copy of the memory
    that holds them.
    """
    from ipykernel import ipkernel
    from IPython.core import shellapp

    hidden = SimpleNamespace(**vars(sys) | {"modules": {}})
    vars(ipkernel)["sys"] = vars(shellapp)["sys"] = hidden
    try:
        yield
    finally:
        vars(ipkernel)["sys"] = vars(shellapp)["sys"] = sys


@cache
def bound_transforms() -> None:
    """Have IPython give up a cell whose magics would take the square of its length to read.

    It gives up by itself, but after 500 of them however long the cell is.
    """
    from IPython.core import inputtransformer2

    most = inputtransformer2.TRANSFORM_LOOP_LIMIT
    transform = inputtransformer2.TransformerManager.do_token_transforms

    def bounded(self: Any, lines: list[str]) -> list[str]:
        times = LINES_READ // max(1, len(lines))  # and once more to see that all is done
        inputtransformer2.TRANSFORM_LOOP_LIMIT = min(most, 1 + times)
        return transform(self, lines)

    manager: Any = inputtransformer2.TransformerManager
    manager.do_token_transforms = bounded


def warm() -> None:
    """Run what takes a while, in the process that kernels are forked from."""
    application()
    bound_transforms()


def prepare(request: Request) -> Any:
    """A kernel whose sockets are bound; ``start()`` of what is returned runs it for good.

    Nothing of it but its class exists before the fork: sockets, threads and event loops do not
    outlive one.
    """
    from nbjudge.inside.testing import learner

    learner.begin(
        forbidden=request.forbidden,
        seed=request.seed,
        wire_path=request.wire_path,
        message_bytes=int(request.limits.message_mb * 2**20),
    )
    slot = request.slot.path
    file = os.open(f"{slot}/k.json", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(file, "w") as out:
        json.dump(connection(slot, request.key), out)
    # With 1 as its parent's number it neither looks after that parent nor prints how to connect.
    app = application().instance(connection_file=f"{slot}/k.json", parent_handle=1)
    app.config.HistoryManager.enabled = False
    with without_modules():
        app.initialize([])
    app.shell._sys_modules_keys = app.loaded
    return app
