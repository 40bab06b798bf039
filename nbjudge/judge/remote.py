"""The verbs over the wire: the examiner's requests, and how far it trusts the replies.

A reply is data of the wire's own types, in its own memory, and if a verb knows more about its
reply than that, it is checked here. Text from the learner's process is only ever displayed.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Any, NoReturn, Protocol

from nbjudge.inside.testing import served, unseen
from nbjudge.inside.testing.by_hand import forbidden
from nbjudge.inside.testing.handle import (
    Handle,
    NotThroughAVerb,
    give_key,
    is_handle,
    key_of,
    name_of_handle,
)
from nbjudge.inside.testing.mistake import Mistake
from nbjudge.inside.values import Tensor
from nbjudge.inside.wire import Channel, Closed, Made, Name, TimedOut, WireError
from nbjudge.judge.errors import GARBLED, GONE, OUT_OF_TIME

#: Maximum number of characters shown of the other side's messages.
MAX_SAYS = 2000

#: A call is extended by this many seconds at least; those of a test together by this many times
#: the limit on one, since the whole submission has a limit in wall-clock time.
WORTH_WAITING, PATIENCE = 0.05, 5

#: Maximum number of parameters of a problem set's module.
MOST_NAMES = 10_000


class Missing(Mistake, NameError):
    """The learner's notebook does not define ``name``."""

    def __init__(self, name: str):
        super().__init__(f"`{name}` is not defined. Is it spelled exactly like this?")
        self.name = name


class InTheirWords(Mistake):
    """A learner's process's own message, which may reveal everything that the process has seen.

    ``ours`` is the message without the learner's words.
    """

    def __init__(self, message: str, ours: str):
        super().__init__(message)
        self.ours = ours


class Lost(Exception):
    """The learner's process no longer replies correctly and has to be replaced.

    ``what`` is one of the names in :mod:`nbjudge.judge.errors`.
    """

    def __init__(self, what: str, message: str):
        super().__init__(message)
        self.what = what


class Talk(Protocol):
    """The channel over which a link sends its requests."""

    def send(self, value: Any, seconds: float | None = None) -> None:
        """Send a request within this many seconds."""

    def receive(self, seconds: float | None = None, more: Callable[[], float] = lambda: 0.0) -> Any:
        """Receive the reply within this many seconds, and ``more`` when they are over."""

    def close(self) -> None:
        """Close the connection."""


class Link:
    """A connection to a learner's process, with a method for each verb.

    Parameters
    ----------
    sock:
        Connected to :func:`nbjudge.inside.testing.learner.serve` in the learner's process, or
        something that replies like it.
    most:
        Maximum number of bytes of tensors in a message.
    """

    def __init__(self, sock: socket.socket | Talk, most: int):
        self.channel: Talk = Channel(sock, most) if isinstance(sock, socket.socket) else sock
        self.call_seconds, self.deadline = 10.0, float("inf")
        #: Seconds that the learner's process has waited for a processor, as far as is known; those
        #: of them by which the time of calls was extended.
        self.waited: Callable[[], float] = lambda: 0.0
        self.given = 0.0
        #: Whether a call must leave its inputs unchanged.
        self.keep = True
        #: Whether the learner must not see what is being called, nor with what.
        self.hidden = False
        #: The learner's process's own messages since the test began.
        self.heard: list[str] = []
        self.lost: Lost | None = None
        self.asked = 0
        self.made: set[int] = set()
        #: By name: whether it may be plain data in the learner's process, its handle in this test,
        #: and its object before the test deleted or rebound it.
        self.known: dict[str, bool] = {}
        self.held: dict[str, Handle] = {}
        #: By name: the value that it has had since the last call.
        self.values: dict[str, Any] = {}
        self.before: dict[str, int] = {}

    def begin(
        self, seed: int, call_seconds: float, deadline: float, names: Iterable[str] = ()
    ) -> None:
        """Begin a test.

        Each call may take ``call_seconds``, and all of them until ``deadline``. ``seed`` seeds the
        learner's random numbers. ``names`` are the learner's names that the test may use directly.
        """
        self.call_seconds, self.deadline = call_seconds, deadline
        self.made, self.hidden, self.heard = set(), False, []
        self.held, self.before, self.values = {}, {}, {}
        names = sorted(names)
        reply = self._ask("begin", None, seed=seed, names=names)
        known = type(reply) is dict and all(type(kind) is bool for kind in reply.values())
        self._held(known and set(reply) <= set(names), "the names asked for")
        self.known = reply

    def hide(self) -> None:
        """From here to the end of the test, quote none of the learner's own words."""
        self.hidden = True

    def name(self, name: str) -> Handle:
        """A handle for one of the learner's names."""
        return Handle(Name(name), name, self)

    # -- ordinary Python -----------------------------------------------------------------------

    def load(self, name: str) -> Any:
        """A learner's name: its value if that is plain data, otherwise a handle.

        Raises
        ------
        Missing
            If the learner's process has no such name.
        """
        if name not in self.known:
            raise Missing(name)
        handle = self.held.setdefault(name, self.name(name))
        if not self.known[name]:
            return handle
        if name in self.values:  # as in a notebook, where a name is the same object twice
            return self.values[name]
        try:
            value = self.use(handle, "itself", (), {})
        except Mistake:  # for example too large to send: a verb can use it remotely
            return handle
        if is_handle(value):
            return handle
        self.values[name] = value
        return value

    def delete(self, name: str) -> None:
        """Delete a learner's name in its process; existing handles still refer to the object."""
        self._move(name, self._made(self._ask("unbind", self.name(name), name=name)))

    def bind(self, name: str, handle: Handle) -> None:
        """Bind a learner's name to this object in the learner's process."""
        number = self._made(self._ask("bind", handle, name=name))
        if name in self.known:
            self._move(name, number)
        self.known[name], self.held[name] = False, handle

    def end(self) -> None:
        """End a test and restore the names that it deleted or rebound."""
        with suppress(Lost, Mistake):
            for name, number in self.before.items():
                self._ask("bind", Handle(Made(number), name, self), name=name)
        self.before = {}

    def _move(self, name: str, number: int) -> None:
        del self.known[name]
        self.before.setdefault(name, number)
        if name in self.held:
            give_key(self.held.pop(name), Made(number))

    def use(self, thing: Handle, how: str, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Use a learner's object; see :mod:`nbjudge.inside.testing.plainly`."""
        reply = self._ask("use", thing, how=how, args=args, kwargs=kwargs)
        whole = type(reply) is dict and set(reply) in ({"data", "after"}, {"made", "after"})
        self._held(whole and type(reply["after"]) is list, "a result")
        self._held(len(reply["after"]) == len(args), "a result")
        for given, now in zip(args, reply["after"], strict=True):
            if type(given) is list and type(now) is list:
                given[:] = now
            elif type(given) is dict and type(now) is dict:
                given.clear()
                given.update(now)
        if "data" in reply:
            return reply["data"]
        return Handle(Made(self._made(reply["made"])), name_of_handle(thing), self)

    def _made(self, number: Any) -> int:
        """Check and record the number of a new object kept in the learner's process."""
        self._held(type(number) is int and number not in self.made, "an object")
        self.made.add(number)
        return number

    # -- verbs ---------------------------------------------------------------------------------

    def call(self, f: Handle, args: tuple, kwargs: dict[str, Any]) -> Any:
        """See :func:`nbjudge.testing.call`."""
        return self._ask("call", f, args=args, kwargs=kwargs, keep=self.keep)

    def value(self, name: Handle) -> Any:
        """See :func:`nbjudge.testing.value`."""
        return self._ask("value", name, name=name_of_handle(name))

    def inputs_after(self, f: Handle, args: tuple, kwargs: dict[str, Any]) -> tuple:
        """See :func:`nbjudge.testing.inputs_after`."""
        inputs = self._ask("inputs_after", f, args=args, kwargs=kwargs)
        self._held(type(inputs) is tuple and len(inputs) == len(args), "the inputs")
        return inputs

    def gradients(
        self,
        f: Handle,
        args: tuple,
        kwargs: dict[str, Any],
        cotangent: Tensor,
        output: int | None,
    ) -> tuple[Tensor | None, ...]:
        """See :func:`nbjudge.testing.gradients`."""
        gradients = self._ask(
            "gradients", f, args=args, kwargs=kwargs, cotangent=cotangent, output=output
        )
        wrt = [arg for arg in args if type(arg) is not Handle and served.is_real(arg)]
        self._held(type(gradients) is tuple and len(gradients) == len(wrt), "the gradients")
        for gradient, of in zip(gradients, wrt, strict=True):
            self._held(gradient is None or _is_tensor(gradient, tuple(of.shape)), "a gradient")
        return gradients

    def build(
        self,
        cls: Handle,
        args: tuple,
        kwargs: dict[str, Any],
        weights: Mapping[str, Tensor] | None,
    ) -> Handle:
        """See :func:`nbjudge.testing.build`."""
        weights = None if weights is None else dict(weights)
        number = self._ask("build", cls, args=args, kwargs=kwargs, weights=weights)
        module = Handle(Made(self._made(number)), name_of_handle(cls), self)
        if weights is not None:
            self._check_parameters(module, weights)
        return module

    def _check_parameters(self, module: Handle, weights: dict[str, Tensor]) -> None:
        """Read the parameters back: the learner's process could lie about having them."""
        has = self.parameter_values(module)
        if set(has) != set(weights) and self.hidden:
            raise Mistake(unseen.sentence(name_of_handle(module), {"key": "parameters"}))
        if set(has) != set(weights):
            raise Mistake(
                f"The parameters of `{name_of_handle(module)}` must be {', '.join(weights)}. "
                f"It has: {', '.join(name[:40] for name in list(has)[:20]) or 'none'}."
            )
        for name, given in weights.items():
            served.same_shape(name, tuple(has[name].shape), tuple(given.shape))
            if has[name].dtype != given.dtype or not bool((has[name] == given).all()):
                raise Mistake(f"The parameter {name} does not hold what was loaded into it.")

    def parameter_shapes(self, module: Handle) -> dict[str, tuple[int, ...]]:
        """See :func:`nbjudge.testing.parameter_shapes`."""
        shapes = self._by_parameter(self._ask("parameter_shapes", module))
        for shape in shapes.values():
            whole = type(shape) is tuple and all(type(n) is int and n >= 0 for n in shape)
            self._held(whole, "a shape")
        return shapes

    def parameter_values(self, module: Handle) -> dict[str, Tensor]:
        """See :func:`nbjudge.testing.parameter_values`."""
        values = self._by_parameter(self._ask("parameter_values", module))
        for tensor in values.values():
            self._held(_is_tensor(tensor), "a parameter")
        return values

    def parameter_gradients(
        self, module: Handle, args: tuple, cotangent: Tensor, output: int | None
    ) -> dict[str, Tensor | None]:
        """See :func:`nbjudge.testing.parameter_gradients`."""
        gradients = self._by_parameter(
            self._ask("parameter_gradients", module, args=args, cotangent=cotangent, output=output)
        )
        for gradient in gradients.values():
            self._held(gradient is None or _is_tensor(gradient), "a gradient")
        return gradients

    def switch(self, module: Handle, to: str) -> Handle:
        """See :func:`nbjudge.testing.switch`."""
        self._held(self._ask("switch", module, to=to) is None, "nothing")
        return module

    def mode(self, module: Handle) -> str:
        """See :func:`nbjudge.testing.mode`."""
        mode = self._ask("mode", module)
        self._held(type(mode) is str and mode in ("train", "eval"), "a mode")
        return mode

    def _by_parameter(self, by_name: Any) -> dict:
        named = type(by_name) is dict and all(type(name) is str for name in by_name)
        self._held(named and len(by_name) <= MOST_NAMES, "parameters by their names")
        return by_name

    # -- one question and its answer -----------------------------------------------------------

    def _ask(self, verb: str, target: Handle | None, **fields: Any) -> Any:
        if self.lost:
            raise self.lost
        self.asked += 1
        if fields.get("how") != "itself":  # what runs over there may change what it has
            self.values = {}
        request = {
            "id": self.asked,
            "verb": verb,
            "target": None if target is None else self._sendable(target),
            "forbidden": list(forbidden()),
            "fields": {name: self._sendable(given) for name, given in fields.items()},
        }
        seconds = min(self.call_seconds, self.deadline - monotonic())
        try:
            self.channel.send(request, max(seconds, 0.01))
            reply = self.channel.receive(max(seconds, 0.01), self._more)
        except TimedOut:
            self._lose(
                OUT_OF_TIME,
                f"{_spoken(target)} was stopped after {max(seconds, 0):.0f} s: is there a loop "
                "that never ends?",
            )
        except Closed:
            self._lose(GONE, f"The kernel died in {_spoken(target)}.")
        except WireError as error:
            if str(error).endswith("cannot be sent"):
                raise NotThroughAVerb(f"{verb}: {error} to a learner's process") from None
            why = "" if self.hidden else f": {error}"
            self._lose(GARBLED, f"What came back from {_spoken(target)} is not a message{why}.")
        return self._answer(reply, target)

    def _more(self) -> float:
        """Seconds by which to extend a call: a busy machine has let its process wait for them."""
        more = min(self.waited(), PATIENCE * self.call_seconds) - self.given
        if more < WORTH_WAITING:
            return 0.0
        self.given += more
        self.deadline += more
        return more

    def _answer(self, reply: Any, target: Handle | None) -> Any:
        self._held(type(reply) is dict and set(reply) == {"id", "is", "value"}, "an answer")
        self._held(type(reply["id"]) is int and reply["id"] == self.asked, "the answer asked for")
        kind, value = reply["is"], reply["value"]
        if kind == "value":
            return value
        name = name_of_handle(target) if target is not None else "a name"
        if kind == "missing":
            raise Missing(name)
        known = kind in ("mistake", "raised") and type(value) is dict
        self._held(known and set(value) == {"says", "about"}, "an answer")
        self._held(type(value["says"]) is str, "an answer")
        says, ours = value["says"][:MAX_SAYS], unseen.sentence(name, value["about"])
        self.heard.append(says)
        if kind == "raised":
            raise self._raised(says, ours, value["about"])
        raise InTheirWords(says, ours)

    def _raised(self, says: str, ours: str, about: Any) -> Exception:
        """An error from a learner's code as a built-in exception, for a test cell to catch."""
        kind = unseen.kind_of_error(about)
        try:
            error = kind(ours if self.hidden else says)
        except TypeError:  # some take more than a message
            error = Exception(ours if self.hidden else says)
        vars(error)["ours"] = ours
        return error

    def _sendable(self, given: Any) -> Any:
        """A test's argument with handles replaced by their keys."""
        if is_handle(given):
            key = key_of(given)
            if type(key) is Made and key.number not in self.made:
                raise NotThroughAVerb(
                    f"`{name_of_handle(given)}` was built in another test: build it where it is "
                    "used."
                )
            return key
        if type(given) in (tuple, list):
            return type(given)(self._sendable(inner) for inner in given)
        if type(given) is dict:
            return {key: self._sendable(inner) for key, inner in given.items()}
        return given

    def _held(self, condition: bool, what: str) -> None:
        """If a reply is invalid, the process is lying: send it nothing more."""
        if not condition:
            self._lose(GARBLED, f"What came back is not {what}, as requested.")

    def _lose(self, what: str, message: str) -> NoReturn:
        self.lost = Lost(what, message)
        self.channel.close()
        raise self.lost from None


def _spoken(target: Handle | None) -> str:
    return "the notebook" if target is None else f"`{name_of_handle(target)}`"


def _is_tensor(value: Any, shape: tuple[int, ...] | None = None) -> bool:
    return type(value) is Tensor and (shape is None or tuple(value.shape) == shape)
