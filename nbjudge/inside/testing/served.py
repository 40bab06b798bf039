"""What the verbs do in the learner's process, with the real functions and modules.

In a learner's own notebook the verbs call these functions directly; if the tests run in another
process, :mod:`nbjudge.inside.testing.learner` calls them for it. Both pass and return copies, and
whatever goes wrong in a learner's code becomes a :class:`Mistake`.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from nbjudge.inside import codecs
from nbjudge.inside.testing import unseen
from nbjudge.inside.testing.by_hand import watched
from nbjudge.inside.testing.errors import (
    changes,
    explained,
    first_line,
    hint,
    line_of_cell,
    names_of_inputs,
)
from nbjudge.inside.testing.mistake import Mistake
from nbjudge.inside.values import SCALARS, WANTED, Array, ArrayScalar, Module, Tensor, nn, np, torch
from nbjudge.inside.wire import TooMuch, WireError, dumps

#: Types returned as they are; tensors, arrays and containers are copied.
PLAIN = (bool, int, float, complex, str, bytes, type(None), *SCALARS)

#: Maximum nesting of lists, length of a container, and bytes of a tensor in a result.
MAX_DEPTH, MAX_ITEMS, MAX_BYTES = 20, 1_000_000, 1 << 30


def call(f: Callable, args: tuple, kwargs: dict[str, Any], keep: bool = True) -> Any:
    """See :func:`nbjudge.testing.call`. With ``keep``, the call must not change its inputs."""
    passed, named = copied(args), copied(kwargs)
    result = by_value(run(f, passed, named), name_of(f))
    if keep:
        names = [*names_of_inputs(f, args)[: len(args)], *kwargs]
        before, after = [*args, *kwargs.values()], [*passed, *named.values()]
        for name, one, other in zip(names, before, after, strict=True):
            if changed(one, other):
                raise Mistake(changes(name_of(f), name, one), {"key": "inputs"})
    return result


def inputs_after(f: Callable, args: tuple, kwargs: dict[str, Any]) -> tuple:
    """See :func:`nbjudge.testing.inputs_after`."""
    copies = copied(args)
    run(f, copies, copied(kwargs))
    return by_value(copies, name_of(f))


def value(thing: Any, name: str) -> Any:
    """See :func:`nbjudge.testing.value`."""
    return by_value(thing, name)


def gradients(
    f: Callable, args: tuple, kwargs: dict[str, Any], cotangent: Tensor, output: int | None
) -> tuple[Tensor | None, ...]:
    """See :func:`nbjudge.testing.gradients`."""
    leaves = [arg.detach().clone().requires_grad_() if is_real(arg) else arg for arg in args]
    # Passed as copies, so that changing one in place is not an error by itself.
    passed = tuple(x.clone() if is_real(x) else x for x in leaves)
    result = run(f, passed, copied(kwargs))
    return _backward(result, [x for x in leaves if is_real(x)], cotangent, output, f)


def build(
    cls: Callable[..., nn.Module],
    args: tuple,
    kwargs: dict[str, Any],
    weights: Mapping[str, Tensor] | None,
) -> nn.Module:
    """See :func:`nbjudge.testing.build`."""
    module = run(cls, copied(args), copied(kwargs))
    if not isinstance(module, Module):
        if inspect.isclass(cls):
            raise Mistake(
                f"`{name_of(cls)}` must be a class that derives from nn.Module.", {"key": "class"}
            )
        message = f"`{name_of(cls)}` returns {kind_of(module)}. It must return an nn.Module."
        raise Mistake(message, {"key": "module"})
    if weights is None:
        return module
    parameters = dict(module.named_parameters())
    _same_names(module, parameters, weights, name_of(cls))
    for name, given in weights.items():
        same_shape(name, tuple(parameters[name].shape), tuple(given.shape))
    module.to(next(iter(weights.values())).dtype)
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            parameter.copy_(weights[name])
    return module


def parameter_shapes(module: nn.Module) -> dict[str, tuple[int, ...]]:
    """See :func:`nbjudge.testing.parameter_shapes`."""
    return {name: tuple(p.shape) for name, p in module.named_parameters()}


def parameter_values(module: nn.Module) -> dict[str, Tensor]:
    """See :func:`nbjudge.testing.parameter_values`."""
    return {name: by_value(p.data, name_of(module)) for name, p in module.named_parameters()}


def parameter_gradients(
    module: nn.Module, args: tuple, cotangent: Tensor, output: int | None
) -> dict[str, Tensor | None]:
    """See :func:`nbjudge.testing.parameter_gradients`."""
    parameters = dict(module.named_parameters())
    if not parameters:
        raise Mistake(
            f"`{name_of(module)}` has no parameters: nothing in it could be trained.",
            {"key": "no parameters"},
        )
    result = run(module, copied(args), {})
    gradients = _backward(result, list(parameters.values()), cotangent, output, module)
    return dict(zip(parameters, gradients, strict=True))


def switch(module: nn.Module, to: str) -> nn.Module:
    """See :func:`nbjudge.testing.switch`."""
    return module.train(to == "train")


def mode(module: nn.Module) -> str:
    """See :func:`nbjudge.testing.mode`."""
    return "train" if module.training else "eval"


# -- running, and copying --------------------------------------------------------------------------


def run(f: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call ``f``; whatever goes wrong in it becomes a :class:`Mistake`.

    Warnings are suppressed: if a call is watched, they would point at a line of ours.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with watched():
                return f(*args, **kwargs)
    except (Mistake, KeyboardInterrupt):
        raise
    except NotImplementedError as error:
        if "Your code goes here" not in first_line(error):
            raise _stopped(f, error, args) from None
        raise Mistake(unseen.SENTENCES["stub"].format(name=name_of(f)), {"key": "stub"}) from None
    except BaseException as error:  # SystemExit too: the test continues
        raise _stopped(f, error, args) from None


def _stopped(f: Callable, error: BaseException, args: tuple) -> Mistake:
    about = unseen.about_error(error, hint(error), line_of_cell(f, error))
    return Mistake(explained(name_of(f), f, error, args), about)


def copied(given: Any) -> Any:
    """A copy to pass to a learner's code, so that its changes do not affect the original."""
    if isinstance(given, Tensor):
        return given.detach().clone().requires_grad_(given.requires_grad)
    if type(given) in (tuple, list):
        return type(given)(copied(inner) for inner in given)
    if type(given) is dict:
        return {key: copied(inner) for key, inner in given.items()}
    return given if type(given) in PLAIN else codecs.copied(given)


def changed(before: Any, after: Any) -> bool:
    """Whether a learner's code changed the values in its copy of an input."""
    if isinstance(before, Tensor | Array):
        if type(after) is not type(before) or after.shape != before.shape:
            return True
        if after.dtype != before.dtype:
            return True
        same = (after == before) | ((after != after) & (before != before))  # NaN stays NaN
        return not bool(same.all())
    if type(before) in (tuple, list):
        return len(after) != len(before) or any(map(changed, before, after))
    if type(before) is dict:
        return after.keys() != before.keys() or any(changed(before[k], after[k]) for k in before)
    if type(before) is type(after) and type(before) not in PLAIN and (codec := codecs.of(before)):
        return not codec.alike(before, after, 0.0, 0.0)
    return after is not before and (type(before) not in PLAIN or bool(after != before))


def by_value(value: Any, name: str, depth: int = 0) -> Any:
    """A copy of what a learner's code returned, with plain types only."""
    if depth > MAX_DEPTH:
        raise Mistake(f"`{name}` returns lists in lists, deeper than {MAX_DEPTH}.")
    if isinstance(value, tuple | list | dict) and len(value) > MAX_ITEMS:
        raise Mistake(f"`{name}` returns {kind_of(value)}: return a tensor.")
    if isinstance(value, Tensor):
        if value.numel() * value.element_size() > MAX_BYTES:
            raise Mistake(f"`{name}` returns shape {tuple(value.shape)}, which is too large.")
        return value.detach().clone().as_subclass(Tensor)
    if isinstance(value, Array):
        return np.array(value)
    if isinstance(value, ArrayScalar):
        return value.item()
    if type(value) in PLAIN:
        return value
    if type(value) not in (tuple, list, dict) and can_be_sent(value):
        return codecs.copied(value)
    if isinstance(value, tuple):
        return tuple(by_value(inner, name, depth + 1) for inner in value)
    if isinstance(value, list):
        return [by_value(inner, name, depth + 1) for inner in value]
    if isinstance(value, dict):
        return {str(key): by_value(inner, name, depth + 1) for key, inner in value.items()}
    raise Mistake(f"`{name}` returns a {type(value).__name__}: return {WANTED}.")


def can_be_sent(value: Any) -> bool:
    """Whether it is a value of one of the known libraries, and of plain values throughout."""
    if isinstance(value, Tensor) or (isinstance(value, Array) and value.dtype.kind in "biufc"):
        return True  # or it says later why not
    if codecs.of(value) is None:
        return False
    try:
        dumps(value, MAX_BYTES)
    except TooMuch:
        return True
    except WireError:
        return False
    return True


def is_real(given: Any) -> bool:
    """Whether something is a tensor with respect to which a gradient can be taken."""
    return isinstance(given, Tensor) and given.is_floating_point()


def name_of(f: Any) -> str:
    """What to call a learner's function, class or module."""
    return str(getattr(f, "__name__", type(f).__name__))


def kind_of(value: Any) -> str:
    """What a value is, in words."""
    if isinstance(value, Array):
        return "a NumPy array (no gradient flows through one)"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    return {Tensor: "one tensor", type(None): "nothing"}.get(
        type(value), f"a {type(value).__name__}"
    )


def _backward(
    result: Any, wrt: list[Tensor], cotangent: Tensor, output: int | None, f: Callable
) -> tuple[Tensor | None, ...]:
    """Gradients of ⟨result, cotangent⟩ with respect to ``wrt``."""
    name = name_of(f)
    if output is not None:
        if not isinstance(result, tuple | list) or len(result) <= output:
            raise Mistake(
                f"`{name}` returns {kind_of(result)} where several results are expected.",
                {"key": "result"},
            )
        result = result[output]
    if not isinstance(result, Tensor):
        raise Mistake(
            f"`{name}` returns {kind_of(result)} where a tensor is expected.", {"key": "result"}
        )
    if result.shape != cotangent.shape:
        raise Mistake(
            f"`{name}` returns shape {tuple(result.shape)}, it must be {tuple(cotangent.shape)}.",
            {"key": "result"},
        )
    if not result.requires_grad:
        raise Mistake(unseen.SENTENCES["cut off"].format(name=name), {"key": "cut off"})
    try:
        gradients = torch.autograd.grad(result, wrt, cotangent.to(result.dtype), allow_unused=True)
    except RuntimeError as error:
        raise Mistake(
            f"The backward pass through `{name}` fails: {first_line(error)}\n"
            "Something that the gradient needs was overwritten: write `a = a + b` for `a += b`.",
            {"key": "backwards"},
        ) from None
    return tuple(None if g is None else by_value(g, name) for g in gradients)


# -- messages about a module's parameters ----------------------------------------------------------


def _same_names(
    module: nn.Module, parameters: Mapping[str, Tensor], weights: Mapping[str, Tensor], cls: str
) -> None:
    asked = ", ".join(f"{name} {tuple(value.shape)}" for name, value in weights.items())
    has = ", ".join(f"{name} {tuple(p.shape)}" for name, p in parameters.items()) or "none"
    missing = [name for name in weights if name not in parameters]
    if plain := [name for name in missing if isinstance(getattr(module, name, None), Tensor)]:
        raise Mistake(
            f"In `{cls}` a plain tensor stands for {', '.join(plain)}: no optimiser would find it, "
            f"and it would not be saved. Wrap it: self.{plain[0]} = nn.Parameter(...).",
            {"key": "parameters"},
        )
    if linear := [name for name in missing if isinstance(getattr(module, name, None), nn.Linear)]:
        raise Mistake(
            f"In `{cls}` an nn.Linear stands for {', '.join(linear)}: it stores its matrix "
            f"transposed, as `{linear[0]}.weight` of shape (out, in), and may add a bias. Use the "
            f"matrices themselves, as nn.Parameter: {asked}.",
            {"key": "parameters"},
        )
    if missing or set(parameters) - set(weights):
        raise Mistake(
            f"The parameters of `{cls}` must be {asked}. It has: {has}.", {"key": "parameters"}
        )


def same_shape(name: str, has: tuple[int, ...], asked: tuple[int, ...]) -> None:
    """Check that a parameter has the expected shape.

    Raises
    ------
    Mistake
        If it does not.
    """
    if has == asked:
        return
    turned = ""
    if has == asked[::-1]:
        turned = " It is transposed: tokens are rows, X W, so W has a row for each input feature."
    raise Mistake(
        f"The parameter {name} has shape {has}, it must be {asked}.{turned}", {"key": "parameters"}
    )
