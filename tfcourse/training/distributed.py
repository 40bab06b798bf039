"""Training in several processes started by torchrun, each with a share of every batch.

``ddp`` keeps a whole model in each process and sums gradients; ``fsdp`` also shards weights,
gradients and optimiser state. Models are unaware of it.
"""

from __future__ import annotations

import atexit
import copy
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from tfcourse.devices import default_device, exact_dtype
from tfcourse.layers import Block
from tfcourse.training.batches import mapped
from tfcourse.wrapped import (
    gathered,
    is_distributed,
    like,
    load_weights,
    unwrapped,
    weights_of,
)

#: Ways for several processes to train one model.
WAYS = ("ddp", "fsdp")


@dataclass(frozen=True)
class Team:
    """The processes that train together; without torchrun, only this one.

    ``rank`` is this process's number, ``world`` the number of processes, ``device`` this process's
    device.
    """

    rank: int
    world: int
    device: torch.device

    @classmethod
    def found(cls, device: str | torch.device | None = None) -> Team:
        """The team described by torchrun's environment, with one GPU per process.

        The device defaults to :func:`~tfcourse.devices.default_device`.
        """
        world, local = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("LOCAL_RANK", 0))
        device = torch.device(default_device() if device is None else device)
        if device.type == "cuda" and device.index is None:
            device = torch.device("cuda", local if world > 1 else torch.cuda.current_device())
        if world == 1:
            return cls(0, 1, device)
        if device.type == "cuda":
            torch.cuda.set_device(device)
        if not dist.is_initialized():
            dist.init_process_group("cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo")
            atexit.register(_leave)
        return cls(dist.get_rank(), dist.get_world_size(), device)

    @property
    def leads(self) -> bool:
        """Whether this is the process that writes and reports."""
        return self.rank == 0

    def all_reduce(self, numbers: Sequence[Any]) -> list[float]:
        """The sum of each number over all processes."""
        numbers = [n if isinstance(n, Tensor) else torch.tensor(n) for n in numbers]
        # A single transfer from the device.
        sums = torch.stack([exact(n.to(self.device)) for n in numbers])
        if self.world > 1:
            dist.all_reduce(sums)
        return sums.tolist()

    def all_gather(self, thing: Any) -> list[Any]:
        """Each process's value, in order of rank."""
        if self.world == 1:
            return [thing]
        things: list[Any] = [None] * self.world
        dist.all_gather_object(things, thing)
        return things

    def broadcast(self, thing: Any) -> Any:
        """The value of process 0."""
        return self.all_gather(thing)[0]


class Shared:
    """A model as the team trains it.

    ``way`` is one of :data:`WAYS`; it has no effect in a single process. A model in a wrapper, such
    as a compiled one, is run through it; what is trained and kept is the model itself. In several
    processes a model that is already distributed raises ``ValueError``.

    Attributes
    ----------
    model:
        Holds the parameters that this process trains: the model itself, or with ``"fsdp"`` a copy
        that is sharded over the processes.
    run:
        The module that a loss calls.
    """

    def __init__(self, model: nn.Module, team: Team, way: str, compile: bool) -> None:
        self.team, self.original = team, unwrapped(model)
        self.was_training = self.original.training
        self.ddp: DistributedDataParallel | None = None
        self.fsdp = team.world > 1 and way == "fsdp"
        if team.world > 1 and is_distributed(model):
            raise ValueError(
                f"model must not be distributed yet, fit does it with parallel={way!r}, got a "
                f"{type(model).__name__}"
            )
        self.model = copy.deepcopy(self.original) if self.fsdp else self.original
        self.model.to(team.device)
        if team.world > 1:  # all begin with the weights of process 0
            for tensor in (*self.model.parameters(), *self.model.buffers()):
                dist.broadcast(tensor.data, src=0)
        if self.fsdp:
            _share_out(self.model, team)
        self.run: nn.Module = model if team.world == 1 else self.model
        if team.world > 1 and not self.fsdp:
            self.run = self.ddp = DistributedDataParallel(self.model)
        if compile or (team.world > 1 and model is not self.original):
            compiled: Any = torch.compile(self.run)
            self.run = compiled

    def no_sync(self, active: bool = True) -> AbstractContextManager:
        """Context in which backward passes keep gradients local, until one outside sums them all.

        With ``active=False`` they are summed over the team as usual.
        """
        if self.ddp is not None and active:
            return self.ddp.no_sync()
        if self.fsdp:
            shared: Any = self.model
            shared.set_requires_gradient_sync(not active)
        return nullcontext()

    def weights(self) -> dict[str, Tensor]:
        """The whole model's tensors by name; every process must call this."""
        return weights_of(self.model)

    def load(self, weights: dict[str, Tensor]) -> None:
        """Load these weights, by name."""
        load_weights(self.model, weights)

    def hand_back(self) -> None:
        """Copy the trained weights into the original model, in every process; restore its mode."""
        if self.fsdp:
            load_weights(self.original, self.weights())
        self.original.train(self.was_training)


def _share_out(model: nn.Module, team: Team) -> None:
    """Shard every parameter over the processes; each block is gathered only when it runs."""
    # Takes half a second to import, and is only needed here.
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh(team.device.type, (team.world,))
    for block in model.modules():
        if isinstance(block, Block):
            fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)


def exact(number: Tensor) -> Tensor:
    """The number in float64, detached; in float32 on Apple's GPUs, which have no float64."""
    return number.detach().to(exact_dtype(number.device))


def whole(thing: Any) -> Any:
    """The same dicts and lists with every sharded tensor gathered; every process must call this."""
    return mapped(thing, gathered)


def load_optimiser(optimiser: torch.optim.Optimizer, state: dict[str, Any]) -> None:
    """Load the state of a whole optimiser, each process its own shard."""
    parameters = [p for group in optimiser.param_groups for p in group["params"]]
    parts = {
        number: {
            name: like(value, parameters[number]) if isinstance(value, Tensor) else value
            for name, value in held.items()
        }
        for number, held in state["state"].items()
    }
    optimiser.load_state_dict({**state, "state": parts})


def _leave() -> None:
    if dist.is_initialized():
        dist.destroy_process_group()
