"""The model inside PyTorch's wrappers: compiled, data-parallel, sharded or checkpointed.

A wrapper hides the model's class and config and adds its own part to the names of the parameters.
Whatever is saved or recognised is the model itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

#: Where ``torch.compile``, FSDP's first version and activation checkpointing hold the module that
#: they run. Their classes take seconds to import.
HELD = ("_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")


def unwrapped(model: nn.Module) -> nn.Module:
    """The model itself, which wrappers run."""
    while (name := _held_as(model)) is not None:
        model = getattr(model, name)
    return model


def class_of(model: nn.Module) -> type[nn.Module]:
    """The class of the model itself; ``fully_shard`` gives it a derived one, such as FSDPGPT."""
    kind = type(unwrapped(model))
    base: Any = kind.__bases__[-1]
    return base if kind.__name__ == f"FSDP{base.__name__}" else kind


def plain_name(model: nn.Module, name: str) -> str:
    """The name that a parameter or part of a model has without wrappers."""
    module: Any = model
    kept = []
    for part in name.split("."):
        if part != _held_as(module):
            # FSDP's first version leaves its own part out of the names.
            module = unwrapped(module) if isinstance(module, nn.Module) else None
            kept.append(part)
        module = getattr(module, part, None)
    return ".".join(kept)


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    """The tensors of a model, by their names without wrappers.

    If they are sharded over processes, they are gathered, and every process must call this.
    """
    return {plain_name(model, name): gathered(t) for name, t in model.state_dict().items()}


def names_of(model: nn.Module) -> list[str]:
    """The names in :func:`weights_of`, without gathering anything."""
    return [plain_name(model, name) for name in model.state_dict()]


def load_weights(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Load what :func:`weights_of` gives into a model, wrapped or not."""
    now = model.state_dict()
    names = {plain_name(model, name): name for name in now}
    model.load_state_dict(
        {names.get(n, n): like(t, now[names[n]]) if n in names else t for n, t in weights.items()}
    )


def is_distributed(model: nn.Module) -> bool:
    """Whether a model, or a part of it, is already spread over devices or processes."""
    parallel = (nn.DataParallel, DistributedDataParallel)
    return any(isinstance(part, parallel) for part in model.modules()) or any(
        map(is_part, model.parameters())
    )


def is_part(thing: Any) -> bool:
    """Whether a tensor is sharded over processes: a ``DTensor``."""
    return hasattr(thing, "full_tensor")


def gathered(tensor: Any) -> Any:
    """The whole of a sharded tensor; every process must call this. Any other is unchanged."""
    return tensor.full_tensor() if is_part(tensor) else tensor


def like(tensor: Tensor, model: Tensor) -> Tensor:
    """This process's shard of a whole tensor, if ``model`` is sharded; otherwise the tensor."""
    if is_part(model) and tensor.shape == model.shape:
        from torch.distributed.tensor import distribute_tensor

        part: Any = model
        return distribute_tensor(tensor.to(part.device), part.device_mesh, part.placements)
    return tensor


def _held_as(module: Any) -> str | None:
    """The name under which a wrapper holds what it runs; ``None`` for any other module."""
    if isinstance(module, nn.DataParallel | DistributedDataParallel):
        return "module"
    parts = getattr(module, "_modules", {})
    return next((name for name in HELD if name in parts), None)
