"""Batches in an order that a seed determines and that can be resumed."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tfcourse.arguments import at_least_one

#: With lengths, the examples of this many batches are drawn together and then sorted.
POOL = 100


class Batches:
    """Batches of examples: each iteration is one epoch.

    Each epoch has a new order, which depends only on ``seed`` and the epoch. So a run stopped
    within an epoch resumes with the batch it would have had, and several processes agree on every
    batch without communicating. ``epoch`` and ``position`` locate the next batch. Iterating again
    after a ``break`` restarts the epoch; only :meth:`load_state_dict` resumes it. Invalid
    arguments, and a batch that would leave a process without an example, raise ``ValueError``.

    Parameters
    ----------
    data:
        A sequence of examples; a tensor or a tuple of tensors with one example per row; or an
        object with a method ``batch(indices)``, such as :class:`~tfcourse.batching.Windows`.
    size, max_tokens:
        Number of examples in a batch, and its maximum number of tokens, padding included, over all
        processes: the number of examples times the longest. Give either or both; the second needs
        ``lengths``.
    collate:
        Makes a batch from a list of examples, as :func:`~tfcourse.batching.pad_pairs` does, or from
        rows of tensors or the result of ``data.batch``. By default these are the batch itself.
    shuffle:
        Whether to draw a random order. If not, the examples keep their order or, with ``lengths``,
        come shortest first.
    drop_last:
        Whether to drop an incomplete batch at the end of an epoch.
    lengths:
        The length of each example, or a function that returns it. Batches then hold examples of
        similar length: little padding, yet a new order each epoch.
    rank, world:
        Index of this process, and number of processes. It gets every ``world``-th example of each
        batch, so that together the processes get the batch of a single process.
    """

    def __init__(
        self,
        data: Sequence[Any] | Tensor | tuple[Tensor, ...],
        size: int | None = None,
        *,
        collate: Callable[[Any], Any] | None = None,
        shuffle: bool = True,
        drop_last: bool = False,
        seed: int = 0,
        lengths: Sequence[int] | Tensor | Callable[[Any], int] | None = None,
        max_tokens: int | None = None,
        rank: int = 0,
        world: int = 1,
    ) -> None:
        self._tensors = _all_tensors(data)
        count = len(data[0]) if self._tensors and isinstance(data, tuple) else len(data)
        if not count:
            raise ValueError("data must have at least one example, got none")
        if size is None and max_tokens is None:
            raise ValueError("size must be given, or max_tokens; got neither")
        at_least_one(size=1 if size is None else size, world=world)
        if not 0 <= rank < world:
            raise ValueError(f"rank must lie between 0 and world - 1 = {world - 1}, got {rank}")
        if size is not None and size < world:
            raise ValueError(
                f"size must be at least world={world}, an example for each process, got {size}"
            )
        if seed < 0:
            raise ValueError(f"seed must be at least 0, got {seed}")
        self.data = data
        self.size = size
        self.collate = collate
        self.shuffle = shuffle
        self.drop_last = drop_last
        self.seed = seed
        self.max_tokens = max_tokens
        self.rank = rank
        self.world = world
        self.epoch = self.position = 0
        self._count = count
        self._lengths = None if lengths is None else _lengths(lengths, data, count)
        self._first = 0  # where the next pass begins
        self._planned: tuple[int, list[Tensor]] | None = None
        self._check_tokens()
        self._plan(0)

    def _check_tokens(self) -> None:
        if self.max_tokens is None:
            return
        if self._lengths is None:
            raise ValueError("lengths must be given with max_tokens, got None")
        least = self.world * int(self._lengths.max())
        if self.max_tokens < least:
            raise ValueError(
                f"max_tokens must be at least {least}, the longest example's length for each of "
                f"{self.world} process(es), got {self.max_tokens}"
            )
        if self.world > 1 and not self.drop_last:
            # How many are left over varies by epoch: better to fail now than in the middle of a
            # run.
            raise ValueError(
                f"drop_last must be True with max_tokens in {self.world} processes, got False"
            )

    def __len__(self) -> int:
        """Number of batches in this epoch."""
        return len(self._plan(self.epoch))

    def __iter__(self) -> Iterator[Any]:
        first, self._first = self._first, 0
        return self._pass(self.epoch, first)

    def _pass(self, epoch: int, first: int) -> Iterator[Any]:
        plan = self._plan(epoch)
        for i in range(first, len(plan)):
            # Set before the batch is yielded: code that asks while training on it means the next.
            self.epoch, self.position = epoch, i + 1
            yield self._gather(plan[i][self.rank :: self.world])
        self.epoch, self.position = epoch + 1, 0

    def _gather(self, indices: Tensor) -> Any:
        if self._tensors:
            data: Any = self.data
            one = isinstance(data, Tensor)
            batch: Any = data[indices] if one else tuple(t[indices] for t in data)
        elif hasattr(self.data, "batch"):
            batch = self.data.batch(indices)
        else:
            batch = [self.data[i] for i in indices.tolist()]
        return batch if self.collate is None else self.collate(batch)

    def _plan(self, epoch: int) -> list[Tensor]:
        """The indices of the examples in each batch of an epoch, over all processes."""
        if self._planned is None or self._planned[0] != epoch:
            generator = torch.Generator()
            # Mixed, so that epoch 1 of seed 0 is not epoch 0 of seed 1.
            mixed = np.random.SeedSequence((self.seed, epoch)).generate_state(1)
            generator.manual_seed(int(mixed[0]))
            self._planned = epoch, self._draw(generator)
        return self._planned[1]

    def _draw(self, generator: torch.Generator) -> list[Tensor]:
        n = self._count
        order = torch.randperm(n, generator=generator) if self.shuffle else torch.arange(n)
        if self._lengths is not None:
            order = torch.cat([part[self._lengths[part].argsort(stable=True)]
                               for part in order.split(self._pool())])  # fmt: skip
        plan = list(order.split(self.size)) if self.max_tokens is None else self._fill(order)
        # An incomplete batch is the last one made.
        whole = self.max_tokens is None and len(plan[-1]) == self.size
        if self.drop_last and not whole:
            plan.pop()
        if not plan:
            raise ValueError(f"drop_last must be False if {n} examples do not fill a batch")
        if len(plan[-1]) < self.world:  # only an incomplete batch can be this small
            raise ValueError(
                f"drop_last must be True in {self.world} processes: the last batch has "
                f"{len(plan[-1])} example(s)"
            )
        if self.shuffle and self._lengths is not None:
            plan = [plan[i] for i in torch.randperm(len(plan), generator=generator).tolist()]
        return plan

    def _pool(self) -> int:
        """Number of examples that are sorted together: all of them without ``shuffle``."""
        if not self.shuffle:
            return self._count
        size = self.size
        if size is None and self.max_tokens is not None and self._lengths is not None:
            size = max(1, int(self.max_tokens / max(1.0, float(self._lengths.float().mean()))))
        return POOL * (size or 1)

    def _fill(self, order: Tensor) -> list[Tensor]:
        """Batches as large as ``max_tokens`` allows."""
        if self._lengths is None or self.max_tokens is None:
            return [order]
        plan, start, longest = [], 0, 0
        for i, length in enumerate(self._lengths[order].tolist()):
            longest = max(longest, length)
            if (i + 1 - start) * longest > self.max_tokens or i - start == self.size:
                plan.append(order[start:i])
                start, longest = i, length
        return [*plan, order[start:]]

    def shard(self, rank: int, world: int) -> Batches:
        """The same batches as seen by process ``rank`` of ``world``, from the same position on."""
        other = Batches(
            self.data, self.size, collate=self.collate, shuffle=self.shuffle,
            drop_last=self.drop_last, seed=self.seed, lengths=self._lengths,
            max_tokens=self.max_tokens, rank=rank, world=world,
        )  # fmt: skip
        other.load_state_dict(self.state_dict())
        other._first = self._first
        return other

    def _order(self) -> dict[str, Any]:
        """Everything the order depends on, which does not include the number of processes."""
        lengths = self._lengths
        return {
            "examples": self._count, "size": self.size, "shuffle": self.shuffle,
            "drop_last": self.drop_last, "seed": self.seed, "max_tokens": self.max_tokens,
            "lengths": None if lengths is None else zlib.crc32(lengths.numpy().tobytes()),
        }  # fmt: skip

    def state_dict(self) -> dict[str, Any]:
        """The position of the next batch; the same in every process."""
        return {"epoch": self.epoch, "position": self.position, "order": self._order()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Resume from a :meth:`state_dict`; raises ``ValueError`` if the order differs."""
        for name, own in self._order().items():
            if state["order"][name] != own:
                raise ValueError(
                    f"state must be of batches with {name}={own}, got {state['order'][name]}"
                )
        self.epoch, self.position = int(state["epoch"]), int(state["position"])
        self._first = self.position


def _all_tensors(data: Any) -> bool:
    """Whether the examples are rows of tensors."""
    if isinstance(data, Tensor):
        return True
    if not (isinstance(data, tuple) and data and all(isinstance(t, Tensor) for t in data)):
        return False
    if len({len(t) for t in data}) > 1:
        raise ValueError(f"data must have equal numbers of rows, got {[len(t) for t in data]}")
    return True


def _lengths(lengths: Any, data: Any, count: int) -> Tensor:
    if callable(lengths):
        lengths = [lengths(data[i]) for i in range(count)]
    lengths = torch.as_tensor(lengths).long()
    if lengths.shape != (count,) or lengths.min() < 0:
        raise ValueError(
            f"lengths must be {count} numbers of at least 0, one for each example, "
            f"got {tuple(lengths.shape)} from {int(lengths.min()) if lengths.numel() else 0} on"
        )
    return lengths
