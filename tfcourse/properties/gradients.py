"""Do gradients reach every parameter of a module?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch
from torch import Tensor

from tfcourse.attention import MultiHeadAttention
from tfcourse.modes import in_mode
from tfcourse.properties.calling import first_output, seeded


def assert_gradients_reach_every_parameter(
    module: torch.nn.Module,
    *inputs: Tensor,
    exempt: Iterable[str] = (),
    smallest: float = 1e-6,
) -> None:
    """Check that every parameter gets a finite, non-zero gradient for these inputs.

    The gradient is that of a random weighting of all outputs, in train mode. (Their plain sum would
    not work: the outputs of a layer norm always have the same sum.) Existing gradients of the
    parameters are left alone. A module without trainable parameters raises ``ValueError``.

    Parameters
    ----------
    exempt:
        Names of parameters, or their last parts, that need none. Attention's ``b_K`` is one: it
        adds the same to all scores of a query, which leaves the softmax unchanged.
    smallest:
        A gradient below this fraction of the largest counts as zero, since rounding leaves small
        ones.
    """
    named = {name: p for name, p in module.named_parameters() if p.requires_grad}
    if not named:
        raise ValueError("module must have a parameter that requires a gradient, it has none")
    exempt = tuple(exempt)
    names = list(_separate(module, named))
    for part in exempt:
        if not any(_ends_in(name, part) for name in names):
            raise ValueError(f"exempt must name parameters of the module, {part!r} is not one")
    with in_mode(module, train=True), seeded(), torch.enable_grad():
        output = first_output(module(*inputs))
        if not output.requires_grad:
            raise AssertionError(
                "no gradient leaves the output: is something detached, or under no_grad?"
            )
        weighting = torch.randn_like(output)
        found = torch.autograd.grad(
            output, list(named.values()), weighting, allow_unused=True, retain_graph=False
        )
    gradients = {
        name: torch.zeros_like(p) if g is None else g
        for (name, p), g in zip(named.items(), found, strict=True)
    }
    size = {name: g.abs().max().item() for name, g in _separate(module, gradients).items()}
    if broken := [n for n, s in size.items() if not s < float("inf")]:
        raise AssertionError(f"the gradient is NaN or infinite in {', '.join(broken)}")
    limit = smallest * max(size.values())
    missed = [
        n for n, s in size.items() if s <= limit and not any(_ends_in(n, part) for part in exempt)
    ]
    if missed:
        raise AssertionError(
            f"no gradient reaches {', '.join(missed)}. Is it used in forward, and is nothing "
            "between it and the output detached, rounded or constant?"
        )


def _separate(module: torch.nn.Module, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Parameters or gradients by name; matrices that attention holds in one have their own."""
    found: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        path, dot, last = name.rpartition(".")
        layer = module.get_submodule(path)
        if isinstance(layer, MultiHeadAttention):
            found |= {path + dot + part: t for part, t in layer.separate(last, tensor).items()}
        else:
            found[name] = tensor
    return found


def _ends_in(name: str, part: str) -> bool:
    return name == part or name.endswith("." + part)
