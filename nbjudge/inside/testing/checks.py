"""Checks: compare what came back from a learner's code, and say what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from nbjudge.inside import codecs
from nbjudge.inside.causes import Guess
from nbjudge.inside.testing import recall
from nbjudge.inside.testing.errors import changes
from nbjudge.inside.testing.mistake import Mistake
from nbjudge.inside.testing.modules import parameter_gradients
from nbjudge.inside.testing.served import changed, kind_of
from nbjudge.inside.testing.verbs import call, gradients, inputs_after, name_of
from nbjudge.inside.values import Array, Tensor, torch

#: Absolute and relative tolerance between two ways of computing the same, by dtype.
TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10} if torch else {}


#: A mistake: a known wrong answer, or the message of one that the test itself passed.
_Suspect = recall.WrongAnswer | str


@dataclass
class _Deciding:
    """The mistakes that explain the results so far in the running test cell."""

    #: Gives what known wrong answers return in it.
    find: recall.Find
    suspects: list[_Suspect] = field(default_factory=list)
    #: Those that contradict one.
    against: set[_Suspect] = field(default_factory=set)
    #: What is wrong with the first wrong result, in numbers.
    fault: str = ""

    def mistake(self) -> Mistake:
        """The mistake that the results show."""
        return _mistake(self.suspects, self.against, self.fault)


_deciding: _Deciding | None = None


@contextmanager
def deciding(find: recall.Find = recall.find_stored) -> Iterator[None]:
    """Run a test cell.

    If several known mistakes explain a result, the results after it decide. Those still possible
    at the end of the cell are reported then.

    Parameters
    ----------
    find:
        Gives what known wrong answers return in it; called when a result is wrong.

    Raises
    ------
    Mistake
        In place of whatever else stops the cell after such a result.
    """
    global _deciding
    _deciding = state = _Deciding(find)
    recall.running = recall.Running(recall.running.test)
    try:
        yield
        if state.suspects:
            raise state.mistake()
    except Exception:
        if state.suspects:
            raise state.mistake() from None
        raise
    finally:
        _deciding = None


def _mistake(suspects: Collection[_Suspect], against: Collection[_Suspect], fault: str) -> Mistake:
    """The mistake to report for a wrong result.

    Parameters
    ----------
    suspects, against:
        What explains it, and what contradicts it.
    fault:
        What is wrong with it in numbers.
    """
    own = [suspect for suspect in suspects if isinstance(suspect, str)]
    guess = Guess(str(fault), _answers(suspects), sorted(_answers(against)), own)
    if _deciding:
        return Mistake(guess.message(), guess=guess)
    guess = recall.in_full(guess)
    return Mistake(recall.message_of(guess), guess=guess)


def _answers(suspects: Collection[_Suspect]) -> list[recall.WrongAnswer]:
    return [suspect for suspect in suspects if not isinstance(suspect, str)]


def _known(check: recall.Check, expected: tuple) -> tuple[dict[_Suspect, tuple], set[_Suspect]]:
    """See :func:`nbjudge.inside.testing.recall.known`."""
    find = _deciding.find if _deciding else recall.find_stored
    says = [suspect.says for suspect in _answers(_deciding.suspects if _deciding else [])]
    recalled, against = recall.known(find, recall.running.passed, says, check, expected)
    return dict(recalled.items()), set(against)


def require(condition: bool, message: str) -> None:
    """Raise a :class:`Mistake` with this message unless the condition holds."""
    if not condition:
        raise Mistake(message)


def equal(
    got: Any,
    expected: Any,
    name: str = "The result",
    *,
    mistakes: Mapping[str, Any] | None = None,
) -> None:
    """Require that a result equals the expected value, in type and value, in lists too.

    Parameters
    ----------
    got:
        What a verb returned.
    expected:
        A value of Python's own types. It is quoted in the message.
    name:
        What to call the result.
    mistakes:
        Message → the result of that mistake. The first that matches what came back is reported.

    Raises
    ------
    Mistake
        If the two differ.
    """
    if type(expected) is not tuple and isinstance(expected, tuple):
        expected = codecs.copied(expected)  # a result with names, as it arrives
    right, suspects = _alike(got, expected), _deciding.suspects if _deciding else []
    if recall.recorded([name], (expected,), (got,), right):
        return
    check = recall.running.next([name])
    if right and not suspects:
        recall.running.passed.append(check)
        return
    own: dict[_Suspect, tuple] = {m: (wrong,) for m, wrong in (mistakes or {}).items()}
    known, against = _known(check, (expected,))
    known |= own
    if suspects:
        _narrow(lambda suspect: _alike(got, known[suspect][0]), known)
        return
    agreeing = [suspect for suspect, (wrong,) in known.items() if _alike(got, wrong)]
    against |= known.keys() - set(agreeing)
    _report(agreeing, set(agreeing), against, _unequal(got, expected, name))


def _narrow(explains: Callable[[_Suspect], bool], known: Mapping[_Suspect, tuple]) -> None:
    """Keep only the suspects that explain another result.

    A mistake that the test itself passed stays where the test does not say what it gives. A known
    answer does not: its own run never came here.

    Raises
    ------
    Mistake
        If at most one is left.
    """
    assert _deciding is not None
    left = [
        suspect
        for suspect in _deciding.suspects
        if (explains(suspect) if suspect in known else isinstance(suspect, str))
    ]
    _deciding.against |= set(_deciding.suspects) - set(left)
    _deciding.suspects = left
    if len(set(map(_says, left))) <= 1:
        raise _deciding.mistake()


def _report(
    suspects: list[_Suspect], fitting: set[_Suspect], against: set[_Suspect], fault: str
) -> None:
    """Report a wrong result by the mistakes that explain it, or let later results decide.

    Parameters
    ----------
    found, fitting, against:
        These mistakes; all that give this result, evidence or not; those that do not.
    fault:
        What is wrong with the result, if it cannot be explained.

    Raises
    ------
    Mistake
        If no later result is to decide.
    """
    if isinstance(fault, _OfItsKind) and not fitting:
        raise Mistake(fault)
    if _deciding and len(set(map(_says, suspects))) > 1:
        _deciding.suspects, _deciding.against, _deciding.fault = suspects, against, fault
        return
    raise _mistake(suspects, against, fault)


class _OfItsKind(str):
    """A fault of type, dtype or device, or NaN with its usual cause: it needs no guess."""


def _says(suspect: _Suspect) -> str:
    return suspect if isinstance(suspect, str) else suspect.says


def _unequal(got: Any, expected: Any, name: str) -> str:
    if got is None:
        return _OfItsKind(f"{name}: nothing comes back. Is there a `return`?")
    if type(got) is not type(expected):
        wanted = type(expected).__name__
        return _OfItsKind(f"{name}: expected a {wanted}, got {kind_of(got)}.")
    return f"{name} is {got!r}, it must be {expected!r}."


def _alike(one: Any, other: Any) -> bool:
    """Whether two values of Python's own types are the same, type by type; NaN equals NaN."""
    if type(one) is not type(other):
        return False
    if codecs.of(one):
        return recall.alike(one, other)
    if type(one) in (list, tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    if type(one) is dict:
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    return bool(one == other) or (type(one) is float and one != one and other != other)


def close(
    got: Any,
    expected: Any,
    name: str | Sequence[str] = "The result",
    *,
    mistakes: Mapping[str, Any] | None = None,
    if_nan: str = "",
) -> None:
    """Require that a result is as expected; if not, say which mistake it looks like.

    Type, shape, dtype, device and NaN are checked first, each with its own message. Values are
    compared within the tolerance of their dtype (:data:`TOLERANCE`), booleans and integers exactly.

    Parameters
    ----------
    got:
        What a verb returned.
    expected:
        A tensor, or numbers as nested lists; a tuple of these if several results were requested.
        Numbers in lists may be quoted in the message, a tensor's never are. A list of numbers
        stands for float32; if float64 is expected, pass a tensor.
    name:
        What to call the result; for a tuple a sequence of names, in which ``"Of y"`` after
        ``"The gradient of x"`` is short for "The gradient of y".
    mistakes:
        Message → the result of that mistake (of the same form as ``expected``; ``None`` in a tuple
        for a part that says nothing), besides those of the course's known wrong answers. The
        message is reported if its result matches. When work is graded and several match, later
        results decide: see :func:`deciding`. Elsewhere all of them are named. The mapping is read
        only after a result was found wrong.
    if_nan:
        What to look at if a number is NaN.

    Raises
    ------
    Mistake
        If any part differs.
    """
    # A list of tensors is several results too: it stands for no tensor, and who returned them in a
    # list, of which a test made ``expected``, returned all that was asked for.
    several = isinstance(expected, tuple) or (
        isinstance(expected, list) and any(isinstance(part, Tensor) for part in expected)
    )
    if several:
        expected = tuple(expected)
        names = list(name) if not isinstance(name, str) else [name] * len(expected)
        if len(names) != len(expected):
            raise ValueError(f"name must hold {len(expected)} names, got {names}")
        got = unpacked(got, *names)
    else:
        got, expected, names = (got,), (expected,), [str(name)]
    names = _in_full(names)
    got = tuple(_numbers_as_tensors(g, e) for g, e in zip(got, expected, strict=True))
    faults = [_fault(g, e, n, if_nan) for g, e, n in zip(got, expected, names, strict=True)]
    if recall.recorded(names, expected, got, not any(faults)):
        return
    check = recall.running.next(names)
    suspects = _deciding.suspects if _deciding else []
    if not any(faults) and not suspects:
        recall.running.passed.append(check)
        return  # before anything reads the mistakes, which may be slow to compute
    own: dict[_Suspect, tuple] = {
        message: wrong if several else (wrong,) for message, wrong in (mistakes or {}).items()
    }
    known, against = _known(check, expected)
    known |= own
    if suspects:
        _narrow(lambda suspect: _explains(known[suspect], got), known)
        return
    agreeing = _recognised(got, expected, faults, known)
    if not _deciding:  # no later result decides: name those that explain most parts of this one
        parts = {one: sum(part is not None for part in known[one]) for one in agreeing}
        agreeing = [one for one in agreeing if parts[one] == max(parts.values())]
    fault = next(fault for fault in faults if fault)
    fitting = {suspect for suspect, wrong in known.items() if _explains(wrong, got)}
    _report(agreeing, fitting, against | known.keys() - fitting, fault)


def same_gradients(
    f: Callable,
    formula: Callable,
    *args: Any,
    names: Sequence[str],
    generator: torch.Generator,
    output: int | None = None,
    if_nan: str = "",
) -> None:
    """Require that a learner's function has the gradients of the formula that it computes.

    Parameters
    ----------
    f, args, output:
        As for :func:`nbjudge.testing.gradients`.
    formula:
        The test's own implementation of the formula.
    names:
        The name of each floating-point input, for messages.
    generator:
        Generates the random cotangent.
    if_nan:
        What to look at if a gradient is NaN.

    Raises
    ------
    Mistake
        If a gradient is missing, NaN, or wrong.
    """
    leaves = [a.clone().requires_grad_() if a.is_floating_point() else a for a in args]
    right = formula(*leaves)
    right = right[0 if output is None else output] if isinstance(right, tuple) else right
    cotangent = torch.randn(right.shape, generator=generator, dtype=right.dtype)
    wrt = [x for x in leaves if x.requires_grad]
    expected = torch.autograd.grad(right, wrt, cotangent)
    _compare_value(call(f, *args), right, output, if_nan)
    actual = gradients(f, *args, cotangent=cotangent, output=output)
    for name, got, want in zip(names, actual, expected, strict=True):
        if got is None:
            raise Mistake(
                f"No gradient of `{name_of(f)}` reaches {name}: is it unused, or cut off?"
            )
        close(got, want, f"The gradient with respect to {name}", if_nan=if_nan)


def same_parameter_gradients(
    module: Any, formula: torch.nn.Module, *args: Tensor, generator: torch.Generator, output: int
) -> None:
    """Require that a learner's module has the same gradients as the test's own.

    Parameters
    ----------
    module, args, output:
        As for :func:`nbjudge.testing.parameter_gradients`.
    formula:
        A module with parameters of the same names and values.
    generator:
        Generates the random cotangent.

    Raises
    ------
    Mistake
        If a gradient is missing or wrong.
    """
    right = formula(*args)
    right = right[output] if isinstance(right, tuple) else right
    cotangent = torch.randn(right.shape, generator=generator, dtype=right.dtype)
    names, parameters = zip(*formula.named_parameters(), strict=True)
    expected = torch.autograd.grad(right, parameters, cotangent)
    value = call(module, *args)
    _compare_value(value, right, output, "")
    actual = parameter_gradients(module, *args, cotangent=cotangent, output=output)
    for name, want in zip(names, expected, strict=True):
        if actual.get(name) is None:
            raise Mistake(f"No gradient reaches {name}: training would not move it.")
        close(actual[name], want, f"The gradient with respect to {name}")


def _compare_value(value: Any, right: Tensor, output: int | None, if_nan: str) -> None:
    try:
        value = value if output is None or not isinstance(value, tuple | list) else value[output]
        close(value, right.detach(), "The output", if_nan=if_nan)
    except Mistake as mistake:
        first, guess = "The value is wrong, so the gradient is too. ", mistake.guess
        guess = guess and replace(guess, fault=f"{first}{guess.fault}")
        raise Mistake(f"{first}{mistake}", guess=guess) from None


def untouched(f: Callable, *args: Any, names: Sequence[str]) -> None:
    """Require that a call does not change its inputs.

    Raises
    ------
    Mistake
        If an input was changed in place; the message names it.
    """
    after = inputs_after(f, *args)
    for name, before, now in zip(names, args, after, strict=True):
        same = _same(now, before) if isinstance(before, Tensor) else not changed(before, now)
        if not same:
            raise Mistake(changes(name_of(f), name, before))


def shaped(got: Any, shape: tuple[int, ...], name: str) -> None:
    """Require that a result is a tensor of this shape."""
    _check_tensor(got, name)
    if tuple(got.shape) != shape:
        raise Mistake(f"{name}: shape {tuple(got.shape)}, it must be {shape}.")


def distribution(weights: Any, over: str = "keys", rather: str = "queries") -> None:
    """Require that weights are at least 0 and sum to 1 along the last axis, unless all are 0.

    Parameters
    ----------
    weights:
        What a verb returned, ``(..., T, S)``.
    over, rather:
        The names of what the last axis and the one before it index.

    Raises
    ------
    Mistake
        If they do not; the message says so if they sum to 1 along the other axis.
    """
    _check_tensor(weights, "The weights")
    total = weights.sum(-1)
    empty = (weights == 0).all(-1)
    wrong = ~_agreement(total, torch.ones_like(total)) & ~empty
    if not wrong.any():
        if (weights < 0).any():
            raise Mistake("A weight is negative: what a softmax gives is never below 0.")
        return
    if _near(weights.sum(-2), torch.ones_like(weights.sum(-2))):
        raise Mistake(
            f"Your weights sum to 1 over the {rather}, not over the {over}: which dimension does "
            "your softmax run over?"
        )
    if weights.isnan().any():
        raise Mistake("A weight is NaN: look for 0/0 or ∞ - ∞, such as a softmax of a row of -∞.")
    raise Mistake(
        f"The weights of one query must sum to 1 over the {over}; a row of yours sums to "
        f"{_apart(total[wrong][0], torch.ones(()))[0]}."
    )


def unpacked(got: Any, *names: str) -> tuple:
    """The results of a call, which must be a tuple with one entry per name.

    Raises
    ------
    Mistake
        If they are not; the message says what was expected.
    """
    asked = ", ".join(name[0].lower() + name[1:] for name in names)
    if not isinstance(got, tuple | list):
        raise Mistake(f"Expected {len(names)} results ({asked}), got {kind_of(got)}.")
    if len(got) != len(names):
        raise Mistake(f"Expected {len(names)} results ({asked}), got {len(got)}.")
    return tuple(got)


def _fault(got: Any, expected: Any, name: str, if_nan: str) -> str | None:
    """What is wrong with ``got``, or ``None``."""
    shown = not isinstance(expected, Tensor)
    try:
        _check_tensor(got, name, number=not isinstance(expected, Tensor | list))
    except Mistake as mistake:
        return _OfItsKind(mistake)
    want = _as_tensor(expected, got)
    if got.shape != want.shape:
        return f"{name}: shape {tuple(got.shape)}, it must be {tuple(want.shape)}."
    if got.dtype != want.dtype and not isinstance(expected, int | float):
        return _OfItsKind(_wrong_dtype(name, got.dtype, want.dtype))
    if isinstance(expected, list) and got.is_floating_point() and got.dtype != torch.float32:
        return _OfItsKind(_wrong_dtype(name, got.dtype, torch.float32))
    if shown and got.is_floating_point() and got.dtype not in TOLERANCE:
        return _OfItsKind(_wrong_dtype(name, got.dtype, torch.float32))
    if got.device != want.device:
        return _OfItsKind(f"{name}: on {got.device}, while its inputs are on {want.device}.")
    if got.isnan().any():
        where = f" at {_first(got.isnan())}" if got.dim() else ""
        return _OfItsKind(f"{name}: NaN{where}. {if_nan}") if if_nan else f"{name}: NaN{where}."
    if _same(got, want):
        return None
    wrong = ~_agreement(got, want)
    at = _first(wrong)
    if shown:
        index = tuple(wrong.nonzero()[0].tolist())
        where = f" at {at}" if index else ""
        number, due = _apart(got[index], want[index])
        near = torch.isclose(got[index], want[index], rtol=1e-6, atol=1e-7)
        rounded = got.dtype == torch.float64 and bool(near)
        hint = (
            " float32 rounds like that: compute it with Python's own numbers, or in float64."
            if rounded
            else ""
        )
        return f"{name}: {number}{where}, it must be {due}.{hint}"
    most = "" if got.dtype == torch.bool else f"{(got - want)[wrong].abs().max().item():.2g}"
    if not got.dim():
        return f"{name}: off by {most}.{_digits(got, want)}" if most else f"{name}: wrong."
    off = f", by up to {most}" if most else ""
    return (
        f"{name}: wrong in {int(wrong.sum())} of {wrong.numel()} places{off}; first at {at}."
        f"{_digits(got, want)}"
    )


def _digits(got: Tensor, want: Tensor) -> str:
    """A hint if 64-bit numbers are right only to 32-bit precision; else empty."""
    if got.dtype != torch.float64 or not torch.allclose(got, want, rtol=1e-6, atol=1e-6):
        return ""
    return (
        " It is right to 32 bits only: is something you made float32? Give it dtype=x.dtype. Or is "
        "a small number, such as 1e-8, added somewhere?"
    )


def _numbers_as_tensors(got: Any, expected: Any) -> Any:
    """A plain number as a 64-bit tensor, if a plain number is expected."""
    plain = isinstance(got, int | float) and isinstance(expected, int | float)
    return torch.tensor(got, dtype=torch.float64) if plain else got


def _check_tensor(got: Any, name: str, number: bool = False) -> None:
    if isinstance(got, Tensor):
        return
    if got is None:
        raise Mistake(f"{name}: nothing comes back. Is there a `return`?")
    asked = "number" if number and not isinstance(got, Array) else "tensor"
    raise Mistake(f"{name}: expected a {asked}, got {kind_of(got)}.")


def _wrong_dtype(name: str, got: torch.dtype, want: torch.dtype) -> str:
    got_name, want_name = (str(d).removeprefix("torch.") for d in (got, want))
    if want == torch.bool and "mask" in name.lower():
        return (
            f"{name}: {got_name}. A mask here is boolean: True = may be attended to. "
            "A comparison such as `j <= i` gives one."
        )
    if want == torch.bool:
        return (
            f"{name}: expected booleans (True = yes, False = no), got {got_name}. "
            "A comparison such as `a < b` gives them."
        )
    if not (got.is_floating_point and want.is_floating_point):
        return (
            f"{name}: {got_name}, it must be {want_name}. Give it this dtype where you make it, or "
            f"convert it: x.to(torch.{want_name})."
        )
    double = "NumPy numbers and .double() introduce float64. " if got == torch.float64 else ""
    return (
        f"{name}: {got_name}, it must be {want_name}. {double}Give what you make the dtype of "
        f"a {want_name} input (x.new_zeros(...), dtype=x.dtype), or dtype=torch.{want_name}."
    )


def _as_tensor(expected: Any, like: Tensor) -> Tensor:
    if isinstance(expected, Tensor):
        return expected
    written = torch.tensor(expected)
    real = written.dtype != torch.bool and like.is_floating_point()
    return torch.tensor(expected, dtype=like.dtype) if real else written


def _fits(got: Any, wrong: Any) -> bool:
    """Whether a part came back as a mistake would give it, with NaN in the same places."""
    if not isinstance(got, Tensor) or not isinstance(wrong, Tensor | list | int | float):
        return False
    try:
        wrong = _as_tensor(wrong, got)
    except (TypeError, ValueError, RuntimeError):  # a wrong answer may return lists of anything
        return False
    if (got.shape, got.dtype, got.device) != (wrong.shape, wrong.dtype, wrong.device):
        return False
    return bool((_agreement(got, wrong) | (got.isnan() & wrong.isnan())).all())


def _explains(wrong: tuple, got: tuple) -> bool:
    """Whether a mistake gives this result, or says nothing about it."""
    return all(_fits(g, w) for g, w in zip(got, wrong, strict=False) if w is not None)


def _recognised(
    got: tuple, expected: tuple, faults: list, mistakes: Mapping[_Suspect, tuple]
) -> list[_Suspect]:
    """The mistakes that explain all parts.

    A part is no evidence if all of it is infinite, because many mistakes lead there, or if the
    mistake gives the right value.
    """

    def tells(part: int, wrong: Any) -> bool:
        if wrong is None or not faults[part] or not got[part].isfinite().any():
            return False
        wrong, right = (_as_tensor(x, got[part]) for x in (wrong, expected[part]))
        return not _same(wrong, right)

    return [
        suspect
        for suspect, wrong in mistakes.items()
        if _explains(wrong, got) and any(tells(part, wrong[part]) for part in range(len(got)))
    ]


def _same(got: Any, want: Tensor) -> bool:
    return (
        isinstance(got, Tensor)
        and got.shape == want.shape
        and got.dtype == want.dtype
        and got.device == want.device
        and bool(_agreement(got, want).all())
    )


def _near(got: Tensor, want: Tensor) -> bool:
    return bool(_agreement(got, want).all())


def _agreement(got: Tensor, want: Tensor) -> Tensor:
    """Where the two agree; NaN agrees with nothing."""
    if not got.is_floating_point():
        return got == want
    tolerance = TOLERANCE.get(got.dtype, 1e-2)
    return torch.isclose(got, want.to(got.dtype), rtol=tolerance, atol=tolerance)


def _first(wrong: Tensor) -> str:
    return str(wrong.nonzero()[0].tolist())


def _apart(first: Tensor, second: Tensor) -> tuple[str, str]:
    """Two different numbers, with enough digits to show the difference."""
    numbers = first.item(), second.item()
    if any(isinstance(number, bool | int) for number in numbers):
        return str(numbers[0]), str(numbers[1])
    for digits in range(6, 18):
        texts = f"{numbers[0]:.{digits}g}", f"{numbers[1]:.{digits}g}"
        if texts[0] != texts[1]:
            break
    return texts


def _in_full(names: Sequence[str]) -> list[str]:
    """Names as sentences begin with them: without a trailing comma, and written out in full."""
    names = [name.rstrip(", ") for name in names]
    what = re.split(" of | with respect to ", names[0])[0]
    return [re.sub("^(Of|That of) ", f"{what} of ", name) for name in names]
