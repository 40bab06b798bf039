"""The learner's side: what the verbs do in a learner's process for an examiner in another one.

The other side trusts nothing here, because a learner's code can change everything here.
"""

from __future__ import annotations

import importlib.util
import os
import random
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from IPython import get_ipython

from nbjudge.inside import codecs
from nbjudge.inside.program import program
from nbjudge.inside.testing import absent, plainly, served, snapshots, unseen
from nbjudge.inside.testing.by_hand import by_hand
from nbjudge.inside.testing.errors import first_line
from nbjudge.inside.testing.mistake import Mistake
from nbjudge.inside.values import loaded, torch
from nbjudge.inside.wire import Channel, Closed, Made, Name, WireError

_path = ""
_most = 1 << 26


def warm() -> None:
    """Run what is slow the first time, in the process that kernels are forked from."""
    codecs.switched_on()
    if torch is not None:
        torch.set_num_threads(1)
        x = torch.randn(4, 4, requires_grad=True)
        y = torch.nn.Linear(4, 4)((x @ x).softmax(-1))
        # With a cotangent, as the verbs pass one: that imports a computer algebra system.
        torch.autograd.grad(y, [x], torch.ones(4, 4))
    seed_all(0)


def begin(
    *, forbidden: tuple[str, ...], seed: int | None, wire_path: str, message_bytes: int = 1 << 26
) -> None:
    """Prepare this process for a learner's notebook, before any of it runs.

    Parameters
    ----------
    forbidden:
        Names in the course's ``forbidden`` whose modules cannot be imported.
    seed:
        Seed of its random numbers; ``None`` for a random one.
    wire_path:
        The socket on which the examiner's side listens.
    message_bytes:
        Maximum bytes of tensors in a message.
    """
    global _path, _most
    _path, _most = wire_path, message_bytes
    if torch is not None:
        torch.set_num_threads(1)
    seed_all(random.SystemRandom().getrandbits(62) if seed is None else seed)
    absent.remove(*forbidden)
    _stay()
    sys.meta_path.insert(0, NotTheTests())


def seed_all(seed: int) -> None:
    """Seed all random number generators of this process.

    Those of devices are left alone: torch.manual_seed would record, for each of them and at every
    test, where it was called from.
    """
    if torch is not None:
        torch.default_generator.manual_seed(seed)
    if numpy := loaded("numpy"):
        numpy.random.seed(seed % 2**32)
    random.seed(seed)


def _stay() -> None:
    """Keep ``exit()`` in a cell from ending the kernel, which other cells need too."""
    if "ipykernel.zmqshell" in sys.modules:
        sys.modules["ipykernel.zmqshell"].ZMQInteractiveShell.ask_exit = lambda shell: None


class NotTheTests(MetaPathFinder, Loader):
    """An import finder that gives empty modules for the tests' own, which locked cells import."""

    def __init__(self) -> None:
        self.packages = frozenset(program().tests_own)

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """A stand-in for a module of the tests' own; all others are left to other finders."""
        if name.partition(".")[0] not in self.packages:
            return None
        return importlib.util.spec_from_loader(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> None:
        """Use Python's default."""

    def exec_module(self, module: ModuleType) -> None:
        """Give the module every attribute, none of which works."""

        def asked(name: str) -> Callable:
            if name.startswith("__"):
                raise AttributeError(name)
            return _for_tests

        vars(module)["__getattr__"] = asked


def _for_tests(*args: object, **kwargs: object) -> None:
    raise Mistake("This is for the tests, which run elsewhere; your own code cannot use it.")


# -- answering -------------------------------------------------------------------------------------


def serve() -> None:
    """Answer the examiner's requests about this notebook until told to stop."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(_path)
        answer(Channel(sock, _most, names=True), get_ipython().user_ns)


#: Said of a call that has used all memory; what it held has been given back by then.
NO_MEMORY = "MemoryError: it needs more memory than a submission may use"


def answer(channel: Channel, names: dict[str, Any]) -> None:
    """Answer requests from the channel about these names, until told to stop.

    The request ``copy`` copies the process. The copy answers over its own connection, and ends when
    it is told to stop.
    """
    objects: dict[int, Any] = {}
    copied = False
    try:
        while True:
            try:
                request = channel.receive()
            except Closed:
                return
            if request["verb"] == "stop":
                return
            if request["verb"] == "copy":
                try:
                    sock = snapshots.copy(_path)
                except OSError:  # there can be no more processes: the other side will notice
                    continue
                if sock is not None:
                    channel.close()
                    channel, objects, copied = Channel(sock, _most, names=True), {}, True
                else:
                    channel.send({"id": request["id"], "is": "value", "value": None})
                continue
            if request["verb"] == "begin":
                objects.clear()
            answered = None
            with suppress(MemoryError):  # even telling of an error can need too much
                answered = _answered(request, names, objects)
            kind, value = answered or ("mistake", {"says": NO_MEMORY, "about": {}})
            try:
                channel.send({"id": request["id"], "is": kind, "value": value})
            except WireError as error:
                failure = {"says": f"Sending the result failed: {error}.", "about": {}}
                channel.send({"id": request["id"], "is": "mistake", "value": failure})
    finally:
        if copied:
            os._exit(0)


class _NotDefined(Exception):
    pass


def _answered(request: dict, names: dict[str, Any], objects: dict[int, Any]) -> tuple[str, Any]:
    def real(given: Any) -> Any:
        if type(given) is Name:
            if given.name not in names:
                raise _NotDefined(given.name)
            return names[given.name]
        if type(given) is Made:
            return objects[given.number]
        if type(given) in (tuple, list):
            return type(given)(real(inner) for inner in given)
        if type(given) is dict:
            return {key: real(inner) for key, inner in given.items()}
        return given

    try:
        if request["verb"] == "begin":
            seed_all(request["fields"]["seed"])
            asked = [name for name in request["fields"]["names"] if name in names]
            return "value", {name: plainly.may_be_data(names[name]) for name in asked}
        by_hand(*request["forbidden"])
        target = real(request["target"])
        if request["verb"] in ("bind", "unbind"):
            name = request["fields"]["name"]
            objects[len(objects)] = names.pop(name, None)
            if request["verb"] == "bind":
                names[name] = target
            return "value", len(objects) - 1
        if request["verb"] == "use":
            result, given = plainly.use(target, **real(request["fields"]))
            if plainly.is_data(result):
                return "value", {"data": result, "after": given}
            objects[len(objects)] = result
            return "value", {"made": len(objects) - 1, "after": given}
        result = VERBS[request["verb"]](target, **real(request["fields"]))
        if request["verb"] == "build":
            objects[len(objects)] = result
            return "value", len(objects) - 1
        return "value", None if request["verb"] == "switch" else result
    except _NotDefined as error:
        return "missing", str(error)
    except plainly.Raised as raised:
        return "raised", raised.report
    except Mistake as mistake:
        return "mistake", {"says": str(mistake)[:10_000], "about": getattr(mistake, "about", {})}
    except BaseException as error:
        says = f"{type(error).__name__}: {first_line(error)}"[:10_000]
        return "mistake", {"says": says, "about": unseen.about_error(error, "", 0)}


VERBS: dict[str, Callable] = {
    "call": served.call,
    "value": served.value,
    "inputs_after": served.inputs_after,
    "gradients": served.gradients,
    "build": served.build,
    "parameter_shapes": served.parameter_shapes,
    "parameter_values": served.parameter_values,
    "parameter_gradients": served.parameter_gradients,
    "switch": served.switch,
    "mode": served.mode,
}
