"""Every public name of the package says what it is; what a reader meets first says it in full."""

import importlib
import inspect
import pkgutil

import pytest
from torch import nn

import tfcourse
from tfcourse.models.common import Model
from tfcourse.positions import Positions

#: Read by learners: each name's shapes, errors and source belong into its docstring.
COMPONENTS = ["alignment", "attention", "layers", "models", "positions", "recurrent"]


def modules():
    for found in pkgutil.walk_packages(tfcourse.__path__, "tfcourse."):
        yield importlib.import_module(found.name)


def public(module):
    """The names that a module offers: its ``__all__``, or what is defined in it."""
    names = getattr(module, "__all__", None) or [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_")
        and getattr(thing, "__module__", None) == module.__name__
        and (inspect.isclass(thing) or inspect.isfunction(thing))
    ]
    return {name: getattr(module, name) for name in names}


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.__name__)
def test_every_public_name_has_a_docstring(module):
    assert inspect.getdoc(module), f"{module.__name__} does not say what it is"
    for name, thing in public(module).items():
        if not (inspect.isclass(thing) or inspect.isfunction(thing)):
            continue
        assert thing.__doc__, f"{module.__name__}.{name} has no docstring"
        for inner, method in vars(thing).items() if inspect.isclass(thing) else ():
            written = inspect.isfunction(method) and method.__name__ == inner
            if written and not inner.startswith("_"):
                assert inspect.getdoc(method), f"{module.__name__}.{name}.{inner} has no docstring"


@pytest.mark.parametrize("name", COMPONENTS)
def test_components_name_their_sources(name):
    """Each module says in its docstring in which lecture or paper it stands."""
    silent, seen = [], 0
    for module in modules():
        if not f"{module.__name__}.".startswith(f"tfcourse.{name}."):
            continue
        for thing in public(module).values():
            if thing in (Positions, Model):
                continue
            if inspect.isclass(thing) and issubclass(thing, nn.Module):
                seen += 1
                if "Notes\n" not in thing.__doc__:
                    silent.append(thing.__name__)
    assert seen
    assert not silent, f"no source is named by {', '.join(silent)}"
