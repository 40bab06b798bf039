"""Convert checkpoints of older versions to the current form.

Three things have changed since. Attention's ``W_Q``, ``W_K`` and ``W_V`` are one parameter, so the
weights and the optimiser's state for them are joined. Configs have more fields: one that an older
version did not have gets its default. And some fields have been renamed.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from tfcourse.arguments import renamed
from tfcourse.parts import held_parts, join_parts
from tfcourse.training.checkpoints import Checkpoint
from tfcourse.training.settings import digest


def brought_up_to_date(read: Checkpoint, model: nn.Module, optimiser: Optimizer) -> Checkpoint:
    """A checkpoint of ``model`` and ``optimiser`` in the current form, unchanged if it already is.

    The optimiser's parameters are in the order of the stored state.
    """
    names = list(dict(model.named_parameters()))
    settings = {**read.settings, "model": _model(str(read.settings.get("model")), model)}
    weights = join_parts(read.weights, names)
    if weights.keys() == read.weights.keys():
        return read._replace(settings=settings)
    if settings.get("parameters") == digest(_before(model)):
        settings["parameters"] = digest(model.named_parameters())
    state = {**read.state, "optimiser": _optimiser(read.state["optimiser"], model, optimiser)}
    return read._replace(weights=weights, state=state, settings=settings)


def _model(said: str, model: nn.Module) -> str:
    """A run's description of its model, with the fields that its config did not have yet."""
    config = getattr(model, "config", None)
    kind, _, call = said.partition(": ")
    if not call.startswith(f"{type(config).__name__}("):
        return said
    try:
        tree = ast.parse(call, mode="eval").body
        if config is None or not isinstance(tree, ast.Call):
            return said
        given = {str(field.arg): ast.literal_eval(field.value) for field in tree.keywords}
        given = renamed(given, vars(config), "the checkpoint's config")
        return f"{kind}: {type(config)(**given)!r}"
    except (SyntaxError, ValueError, TypeError, AttributeError):
        return said  # it is compared unchanged


def _before(model: nn.Module) -> list[tuple[str, Tensor]]:
    """The parameters as in older versions: names, and tensors of their shapes and dtypes."""
    found = []
    owners = dict(model.named_modules())
    names = list(dict(model.named_parameters()))
    for name, p in model.named_parameters():
        path, _, _ = name.rpartition(".")
        parts = held_parts(name, names)
        found += [(part, getattr(owners[path], part.rpartition(".")[2])) for part in parts]
        if not parts:
            found.append((name, p))
    return found


def _optimiser(stored: Mapping[str, Any], model: nn.Module, optimiser: Optimizer) -> dict[str, Any]:
    """An optimiser's state with the values for W_Q, W_K and W_V joined."""
    names = {p: name for name, p in model.named_parameters()}
    before, now, state, groups = 0, 0, {}, []
    for group, old in zip(optimiser.param_groups, stored["param_groups"], strict=True):
        first = now
        for p in group["params"]:
            count = len(held_parts(names.get(p, ""), list(names.values()))) or 1
            held = [stored["state"].get(number, {}) for number in range(before, before + count)]
            state[now] = {name: _joined([one[name] for one in held], p) for name in held[0]}
            before, now = before + count, now + 1
        groups.append({**old, "params": list(range(first, now))})
    return {
        "state": {number: held for number, held in state.items() if held}, "param_groups": groups
    }  # fmt: skip


def _joined(values: list[Any], p: Tensor) -> Any:
    """Join the values of several parameters into those of the one that holds them."""
    if len(values) > 1 and isinstance(values[0], Tensor) and values[0].dim() == p.dim():
        return torch.cat(values, dim=-1)
    return values[0]  # such as the number of steps, which is the same for all
