"""The field's names everywhere, and no others."""

import importlib
import inspect
import pkgutil

import tfcourse

#: What nothing public is called; in ``data``, ``heads`` are words in a sentence.
NOT_OURS = {
    "vocabulary", "target_vocabulary", "longest", "layers", "encoder_layers", "decoder_layers",
    "heads", "kv_heads", "scaled", "new_tokens", "maps",
}  # fmt: skip


def public():
    """Every public function, class and method of the package."""
    for module in pkgutil.walk_packages(tfcourse.__path__, "tfcourse."):
        if module.name.startswith("tfcourse.data"):
            continue
        for name, thing in vars(importlib.import_module(module.name)).items():
            if name.startswith("_") or getattr(thing, "__module__", "") != module.name:
                continue
            if inspect.isclass(thing):
                members = [m for n, m in vars(thing).items() if inspect.isfunction(m)]
                yield from ((f"{name}.{m.__name__}", m) for m in members)
            elif inspect.isfunction(thing):
                yield name, thing


def test_signatures_have_the_standard_names_alone():
    found = list(public())
    wrong = {name: NOT_OURS & set(inspect.signature(thing).parameters) for name, thing in found}
    assert len(found) > 300 and not {name: names for name, names in wrong.items() if names}
