"""Optimisers, and which parameters get weight decay."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from tfcourse.arguments import above_zero, check_probability
from tfcourse.layers import LayerNorm, RMSNorm
from tfcourse.positions import Positions

#: Modules whose parameters scale or shift normalised values.
NORMS = (
    LayerNorm, RMSNorm, nn.LayerNorm, nn.RMSNorm, nn.GroupNorm, nn.modules.batchnorm._BatchNorm,
)  # fmt: skip


@dataclass(frozen=True)
class OptimiserChoice:
    """A choice of optimiser: training creates it once the model is on its devices.

    ``says`` is the call that made it, such as ``"adamw(weight_decay=0.1, …)"``; a resumed run
    compares it.
    """

    says: str
    make: Callable[[nn.Module], Optimizer] = field(compare=False, repr=False)

    def __call__(self, model: nn.Module) -> Optimizer:
        """The optimiser for this model's parameters."""
        return self.make(model)

    def __repr__(self) -> str:
        return self.says


def parameter_groups(
    model: nn.Module, weight_decay: float, *, embeddings: bool = True
) -> list[dict[str, Any]]:
    """The model's parameters in two groups: with weight decay, and without.

    Decay is for matrices, which multiply their input. Biases (one axis, or a name that is ``b``,
    ``bias`` or begins with ``b_``) and the parameters of normalisations have none: they do not make
    the model more complex, and pulling a gain to zero would silence its layer.

    A shared parameter is in one group, once; a frozen one is in none.

    Parameters
    ----------
    weight_decay:
        Of the first group, at least 0. A group that would be empty is left out.
    embeddings:
        Whether token and position embeddings decay too, as in nanoGPT; otherwise they are in the
        second group. A tied unembedding is one of them.

    Notes
    -----
    Loshchilov and Hutter 2019 ("Decoupled Weight Decay Regularization"). Biases and gains are
    excluded as in Radford et al. 2018, section 4.1, and in BERT's training code.
    """
    _not_negative(weight_decay)
    decays: dict[nn.Parameter, None] = {}
    spared: dict[nn.Parameter, None] = {}
    for module in model.modules():
        for name, p in module.named_parameters(recurse=False):
            bias = p.dim() < 2 or name in ("b", "bias") or name.startswith("b_")
            table = isinstance(module, nn.Embedding | Positions)
            if p.requires_grad:
                no_decay = bias or isinstance(module, NORMS) or (table and not embeddings)
                (spared if no_decay else decays)[p] = None
    if not decays and not spared:
        raise ValueError("model must have a parameter to train, every one has requires_grad=False")
    for p in spared:  # a shared one is spared if any of its owners spares it
        decays.pop(p, None)
    groups = [
        {"params": list(decays), "weight_decay": weight_decay},
        {"params": list(spared), "weight_decay": 0.0},
    ]
    return [group for group in groups if group["params"]]


def adamw(
    weight_decay: float = 0.0,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    *,
    embeddings: bool = True,
) -> OptimiserChoice:
    r"""Adam with decoupled weight decay.

    .. math:: m \leftarrow \beta_1 m + (1 - \beta_1) g, \quad
              v \leftarrow \beta_2 v + (1 - \beta_2) g^2, \quad
              \theta \leftarrow \theta - \eta \left(
              \frac{m / (1 - \beta_1^s)}{\sqrt{v / (1 - \beta_2^s)} + \epsilon} + \lambda \theta
              \right)

    Parameters
    ----------
    weight_decay:
        :math:`\lambda`, at least 0, for the parameters that :func:`parameter_groups` lets decay. At
        0 this is Adam.
    betas, eps:
        :math:`(\beta_1, \beta_2)`, in [0, 1), and :math:`\epsilon`, above 0. Vaswani et al. use
        (0.9, 0.98) and 1e-9, GPT-3 (0.9, 0.95).
    embeddings:
        As in :func:`parameter_groups`.

    Notes
    -----
    Kingma and Ba 2015, algorithm 1; Loshchilov and Hutter 2019, algorithm 2. PyTorch computes it,
    in one pass over each tensor (``fused``).
    """
    _not_negative(weight_decay)
    above_zero(eps=eps)
    check_probability(**{f"betas[{i}]": beta for i, beta in enumerate(betas)})

    def make(model: nn.Module) -> Optimizer:
        groups = parameter_groups(model, weight_decay, embeddings=embeddings)
        return torch.optim.AdamW(groups, betas=(betas[0], betas[1]), eps=eps, fused=True)

    return OptimiserChoice(
        f"adamw(weight_decay={weight_decay}, betas={tuple(betas)}, eps={eps}, "
        f"embeddings={embeddings})",
        make,
    )


def sgd(momentum: float = 0.0, weight_decay: float = 0.0) -> OptimiserChoice:
    r"""Stochastic gradient descent, with momentum.

    .. math:: u \leftarrow \mu u + g, \qquad \theta \leftarrow \theta - \eta\, u

    Parameters
    ----------
    momentum:
        :math:`\mu`, in [0, 1).
    weight_decay:
        For the parameters that :func:`parameter_groups` lets decay, at least 0; added to the
        gradient.
    """
    check_probability(momentum=momentum)
    _not_negative(weight_decay)
    return OptimiserChoice(
        f"sgd(momentum={momentum}, weight_decay={weight_decay})",
        # The rate is set before each step; until then it is 0.
        lambda model: torch.optim.SGD(
            parameter_groups(model, weight_decay), lr=0.0, momentum=momentum
        ),
    )


def _not_negative(weight_decay: float) -> None:
    if weight_decay < 0:
        raise ValueError(f"weight_decay must be at least 0, got {weight_decay}")


@torch.no_grad()
def clip_gradients(parameters: Iterable[Tensor], length: float) -> Tensor:
    r"""Clip the norm of all gradients together to ``length``; return the norm.

    .. math:: g \leftarrow g \min\left(1, \frac{c}{\lVert g \rVert}\right)

    Each parameter's ``grad`` is changed in place; those without one are skipped. ``length`` is
    :math:`c`, above 0. The returned norm, a scalar, is that before clipping; 0 if there is no
    gradient.

    Notes
    -----
    Pascanu et al. 2013, algorithm 1. :func:`~tfcourse.training.fit` does this itself, after
    dividing by the number of tokens.
    """
    above_zero(length=length)
    gradients = [p.grad for p in parameters if p.grad is not None]
    if not gradients:
        return torch.zeros(())
    device = gradients[0].device
    norm = torch.stack([torch.linalg.vector_norm(g).to(device) for g in gradients]).norm()
    # No branch on the value: on a GPU that would wait for it.
    factor = (length / norm).clamp(max=1.0)
    for g in gradients:
        g.mul_(factor.to(g.device, g.dtype))
    return norm
