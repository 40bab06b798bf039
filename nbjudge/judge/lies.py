"""Find tests passed by an answer that computes nothing; their points depend on a test of values.

Such a test checks only a property (the inputs are unchanged, equal tokens get equal outputs, a row
with nothing to attend to gives zeros) or numbers that a learner can read in the notebook. So each
test is run with the instructor's solution behind a link that lies: as long as a learner can know
what is tested, it answers correctly, and afterwards with zeros, with NaN, with its inputs and so
on. A test that believes one of these lies accepts nothing for an answer. Its points count once
another test of the same functions passes that does not.
"""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from nbjudge.inside.testing import plainly, served
from nbjudge.inside.testing.handle import Handle, is_handle, key_of, name_of_handle
from nbjudge.inside.testing.recall import alike
from nbjudge.inside.values import Array, ArrayScalar, Tensor, np, torch
from nbjudge.inside.wire import Made, Name
from nbjudge.judge.believed import Believed, WeighedCell
from nbjudge.judge.limited import within

#: Seed of the hidden inputs when tests are weighed, so that every run gives the same result.
SEED = 1

#: Seconds after which a test with a lie is stopped and counts as not believing it.
SECONDS = 5.0

#: Lies that fill the answer with a single number, by name.
NUMBERS = {
    "zeros": 0.0,
    "ones": 1.0,
    "minus one": -1.0,
    "not a number": math.nan,
    "infinity": math.inf,
    "minus infinity": -math.inf,
}

#: A number that nobody would guess.
DRAWN = 0.6613521575927734


def _shaped_like(fill: Callable[[Tensor], Tensor], number: float) -> Callable[[Any, list], Any]:
    """A lie that keeps an answer's structure and fills its tensors.

    A plain number becomes ``number``.
    """

    def lie(right: Any, inputs: list) -> Any:
        if isinstance(right, Tensor):
            return fill(right)
        if isinstance(right, ArrayScalar) and right.dtype.kind in "biuf":
            return right.dtype.type(lie(right.item(), inputs))
        if isinstance(right, Array) and right.dtype.kind in "biufc":
            if torch is not None:
                return lie(torch.from_numpy(right), inputs).numpy()
            return np.full_like(right, lie(right.flat[0].item(), inputs) if right.size else 0)
        if type(right) in (bool, int, float):
            whole = int(number) if math.isfinite(number) else 0
            return type(right)(number if type(right) is float else whole)
        if type(right) is str:
            return ""
        if type(right) in (tuple, list):
            return type(right)(lie(part, inputs) for part in right)
        if type(right) is dict:
            return {key: lie(part, inputs) for key, part in right.items()}
        return right

    return lie


def _filled(number: float) -> Callable[[Tensor], Tensor]:
    whole = 0 if math.isnan(number) else int(min(max(number, -9), 9))

    def fill(right: Tensor) -> Tensor:
        real = right.is_floating_point() or right.is_complex()
        return torch.full_like(right, number if real else whole)

    return fill


def _shares(right: Tensor) -> Tensor:
    """Uniform weights, as from a softmax of equal scores."""
    real = right.is_floating_point() and right.dim()
    return torch.full_like(right, 1 / max(right.shape[-1], 1)) if real else torch.ones_like(right)


def _drawn(right: Tensor) -> Tensor:
    """Random numbers that depend only on the number of elements."""
    if not right.is_floating_point():
        return torch.zeros_like(right)
    generator = torch.Generator().manual_seed(right.numel())
    return torch.randn(right.shape, generator=generator).to(right.dtype)


def _counted(right: Tensor) -> Tensor:
    """0, 1, 2, ... along the last axis: ids in order."""
    if not right.dim():
        return torch.zeros_like(right)
    return torch.arange(right.shape[-1]).expand(right.shape).to(right.dtype).contiguous()


def _copied(place: int) -> Callable[[Any, list], Any]:
    """A lie that returns an input: of those that look like the answer, the one at ``place``."""
    zeros = _shaped_like(_filled(0.0), 0.0)

    def like(right: Any, given: Any) -> bool:
        if isinstance(right, Tensor):
            return isinstance(given, Tensor) and given.shape == right.shape
        return type(given) is type(right)

    def lie(right: Any, inputs: list) -> Any:
        if type(right) is tuple:
            return tuple(lie(part, inputs) for part in right)
        fitting = [given for given in inputs if like(right, given)]
        if not fitting:
            return zeros(right, inputs)
        copied = served.copied(fitting[min(place, len(fitting) - 1)])
        return copied.detach().to(right.dtype) if isinstance(copied, Tensor) else copied

    return lie


def _empty(right: Any, inputs: list) -> Any:
    """An empty or zero value of the answer's type."""
    if isinstance(right, Tensor):
        return torch.zeros_like(right)
    if type(right) is tuple:
        return tuple(_empty(part, inputs) for part in right)
    return type(right)() if type(right) in (bool, int, float, str, list, dict) else None


#: What an answer that computes nothing may return, by name.
LIES: dict[str, Callable[[Any, list], Any]] = {
    **{name: _shaped_like(_filled(number), number) for name, number in NUMBERS.items()},
    "shares": _shaped_like(_shares, 1.0),
    "random numbers": _shaped_like(_drawn, DRAWN),
    "random shares": _shaped_like(
        lambda x: _drawn(x).softmax(-1) if x.dim() and x.is_floating_point() else _drawn(x), DRAWN
    ),
    "in order": _shaped_like(_counted, 0.0),
    "nothing": _empty,
    **{f"input {place + 1}": _copied(place) for place in range(3)},
}


def about_part(part: int, lie: Callable[[Any, list], Any]) -> Callable[[Any, list], Any]:
    """The same lie about one result of a function that returns several; all else is right."""

    def lie_of_part(right: Any, inputs: list) -> Any:
        if type(right) is not tuple or len(right) <= part:
            return right
        return (*right[:part], lie(right[part], inputs), *right[part + 1 :])

    return lie_of_part


def inputs_of(args: Iterable, kwargs: Mapping) -> list:
    """What a lie can return: each input, and the items of any lists or tuples among them."""
    inputs = [*args, *kwargs.values()]
    inner = [part for given in inputs if type(given) in (tuple, list) for part in given]
    return [*inputs, *inner]


class LyingLink:
    """A link like :class:`nbjudge.judge.remote.Link`, to the instructor's solution.

    Parameters
    ----------
    names:
        The names that the solution's cells define.
    lie:
        One of :data:`LIES`; with ``None`` all answers are right.
    """

    def __init__(self, names: Mapping[str, Any], lie: Callable[[Any, list], Any] | None):
        self.names, self.lie = names, lie
        self.lying = False
        self.made: list[Any] = []
        #: The most results that a call has returned in a tuple since the lies began.
        self.parts = 0
        #: Whether any answer was not the right one.
        self.lied = False

    def name(self, name: str) -> Handle:
        """A handle for one of the solution's names."""
        return Handle(Name(name), name, self)

    def hidden(self) -> None:
        """From here on a learner cannot know what is tested."""
        self.lying = True

    def call(self, f: Handle, args: tuple, kwargs: dict[str, Any]) -> Any:
        """The result that a stub might return."""
        real, args, kwargs = self._real(f), self._real(args), self._real(kwargs)
        return self._answer(served.call(real, args, kwargs, keep=False), inputs_of(args, kwargs))

    def value(self, name: Handle) -> Any:
        """The true value: a name that is not a function computes nothing."""
        return served.value(self._real(name), name_of_handle(name))

    def use(self, thing: Handle, how: str, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Like :meth:`call`; a result that is not plain data stays here behind a handle."""
        args, kwargs = self._real(args), self._real(kwargs)
        result, _ = plainly.use(self._real(thing), how, served.copied(args), kwargs)
        if plainly.is_data(result):
            return self._answer(result, inputs_of(args, kwargs))
        self.made.append(result)
        return Handle(Made(len(self.made) - 1), name_of_handle(thing), self)

    def inputs_after(self, f: Handle, args: tuple, kwargs: dict[str, Any]) -> tuple:
        """The unchanged inputs, as a stub would leave them."""
        return served.by_value(self._real(args), name_of_handle(f))

    def gradients(
        self, f: Handle, args: tuple, kwargs: dict, cotangent: Tensor, output: int | None
    ) -> tuple:
        """The gradients, each replaced by a lie."""
        args, kwargs = self._real(args), self._real(kwargs)
        gradients = served.gradients(self._real(f), args, kwargs, cotangent, output)
        return tuple(
            None if x is None else self._answer(x, inputs_of(args, kwargs)) for x in gradients
        )

    def build(self, cls: Handle, args: tuple, kwargs: dict, weights: Mapping | None) -> Handle:
        """The real module: a stub can have the required parameters."""
        made = served.build(self._real(cls), self._real(args), self._real(kwargs), weights)
        self.made.append(made)
        return Handle(Made(len(self.made) - 1), name_of_handle(cls), self)

    def parameter_shapes(self, module: Handle) -> dict:
        """The true shapes."""
        return served.parameter_shapes(self._real(module))

    def parameter_values(self, module: Handle) -> dict:
        """The true values."""
        return served.parameter_values(self._real(module))

    def parameter_gradients(
        self, module: Handle, args: tuple, cotangent: Tensor, output: int | None
    ) -> dict:
        """The parameters' gradients, each replaced by a lie."""
        args = self._real(args)
        gradients = served.parameter_gradients(self._real(module), args, cotangent, output)
        inputs = inputs_of(args, {})
        return {
            name: None if x is None else self._answer(x, inputs) for name, x in gradients.items()
        }

    def switch(self, module: Handle, to: str) -> Handle:
        """Switch to the requested mode."""
        served.switch(self._real(module), to)
        return module

    def mode(self, module: Handle) -> str:
        """The module's mode."""
        return served.mode(self._real(module))

    def _answer(self, right: Any, inputs: list) -> Any:
        if not self.lying:
            return right
        if type(right) is tuple:
            self.parts = max(self.parts, len(right))
        answer = self.lie(right, inputs) if self.lie else right
        self.lied = self.lied or not alike(answer, right)
        return answer

    def _real(self, given: Any) -> Any:
        if is_handle(given):
            key = key_of(given)
            return self.names[key.name] if type(key) is Name else self.made[key.number]
        if type(given) in (tuple, list):
            return type(given)(self._real(part) for part in given)
        if type(given) is dict:
            return {key: self._real(part) for key, part in given.items()}
        return given


def accepting_nothing(
    notebook: list[WeighedCell], run: Callable[[str, str, LyingLink, dict], Any]
) -> dict[str, Believed]:
    """The tests that believe a lie, each with the lie.

    Parameters
    ----------
    notebook:
        The instructor's cells, in order.
    run:
        Called with a test's name and source, a link and the set-up's names; runs the test and
        returns the value of its last line.
    """
    solved, ours = {"__name__": "__main__"}, {"__name__": "__main__"}
    lies: dict[str, Believed] = {}
    nowhere = io.StringIO()
    with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        for cell in notebook:
            if cell.test is not None:
                believed = _believed(cell, solved, ours, run)
                if believed:
                    lies[cell.test] = believed
            elif cell.answer is not None:
                _execute(cell.answer, solved)
            else:
                for names in (solved, ours):
                    _execute(cell.setup or "", names)
    return lies


def _execute(source: str, names: dict) -> None:
    """Run a cell as far as it runs here; no test passes that needs more."""
    with contextlib.suppress(Exception, SystemExit):
        exec(compile(source, "<cell>", "exec"), names)


def _believed(
    cell: WeighedCell, solved: dict, ours: dict, run: Callable[[str, str, LyingLink, dict], Any]
) -> Believed | None:
    """The first lie that a test believes, if it believes any."""

    def passes(link: LyingLink) -> bool:
        try:
            with within(SECONDS, busy=True):
                value = run(cell.test or "", cell.source, link, ours)
        except Exception:
            return False
        return value is None or (type(value) in (int, float) and value >= cell.points)

    def believed(lie: Callable[[Any, list], Any]) -> bool | None:
        """``None`` if it is no lie here, since the right answer is the same."""
        link = LyingLink(solved, lie)
        passed = passes(link)
        return passed if link.lied else None

    honest = LyingLink(solved, None)
    if not passes(honest):
        return None
    for name, lie in LIES.items():
        link = LyingLink(solved, lie)
        if passes(link):
            return Believed(name, part=False, lied=link.lied)
    for part in range(honest.parts if honest.parts > 1 else 0):
        by_lie = {name: believed(about_part(part, lie)) for name, lie in LIES.items()}
        # A test that believes everything about a part does not look at it.
        if False in by_lie.values() and True in by_lie.values():
            name = next(name for name in by_lie if by_lie[name])
            return Believed(f"{name} as result {part + 1}", part=True, lied=True)
    return None
