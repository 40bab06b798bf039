"""The API pages show everything that the packages offer to readers."""

import importlib
import inspect
import pkgutil

import pytest
from sphinx.util.inventory import InventoryFile

#: Rooms that readers walk in; the other modules are the package's own business.
SUBJECT = ("alignment", "attention", "batching", "by_loop", "data", "evaluation", "generation",
           "kernels", "layers", "models", "positions", "pretrained", "properties", "recurrent",
           "rolling_cache", "tokenizers", "training")  # fmt: skip
SHOWN = [*(f"tfcourse.{name}" for name in SUBJECT), "nbjudge.testing"]
#: Modules inside them that only serve their neighbours.
INNER = {"tfcourse.models.common"}


def offered(room):
    """The classes and functions of a room: its ``__all__``, or of each module in it."""
    package = importlib.import_module(room)
    if hasattr(package, "__all__"):
        return {f"{package.__name__}.{name}" for name in package.__all__}
    modules = [package]
    for found in pkgutil.iter_modules(getattr(package, "__path__", []), f"{package.__name__}."):
        if found.name not in INNER:
            modules.append(importlib.import_module(found.name))
    names = set()
    for module in modules:
        for name, thing in vars(module).items():
            own = getattr(thing, "__module__", "").startswith(module.__name__)
            shown = getattr(module, "__all__", None)
            if (
                own
                and (inspect.isclass(thing) or inspect.isfunction(thing))
                and (name in shown if shown else not name.startswith("_"))
            ):
                names.add(f"{module.__name__}.{name}")
    return names


def at_home(name):
    """The name in the module that defines it, where a page may show it instead."""
    package, _, last = name.rpartition(".")
    thing = getattr(importlib.import_module(package), last)
    return f"{getattr(thing, '__module__', package)}.{last}"


@pytest.fixture(scope="module")
def inventory(site):
    with (site / "objects.inv").open("rb") as file:
        found = InventoryFile.load(file, "", lambda base, path: path)
    return {name for kind, names in found.items() if kind.startswith("py:") for name in names}


@pytest.mark.parametrize("room", SHOWN)
def test_every_public_name_is_on_a_page(room, inventory):
    names = offered(room)
    assert names
    missing = {name for name in names - inventory if at_home(name) not in inventory}
    assert missing == set()
