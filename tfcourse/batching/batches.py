"""Batches in an order that a seed fixes, and that can be resumed."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tfcourse.arguments import at_least_one

#: With lengths, examples are drawn together for this many batches before they are sorted.
POOL = 100


class Batches:
    """An epoch of batches each time it is gone through.

    The order is drawn anew for each epoch, and follows from ``seed`` and epoch alone. So a run that
    was stopped within an epoch resumes with the batch it would have had, and several processes
    agree on every batch without a word. ``epoch`` and ``position`` say where the next batch stands;
    breaking off and going through again starts the epoch again, and only :meth:`load_state_dict`
    resumes a broken one. Arguments that do not fit, and a batch that would leave a process without
    an example, raise ``ValueError``.

    Parameters
    ----------
    data:
        A sequence of examples; or a tensor or a tuple of tensors, with an example in each row; or
        what has a ``batch(indices)`` of its own, as :class:`~tfcourse.batching.Windows` does.
    size, max_tokens:
        Examples in a batch, and the most tokens in one, padding among them, in all processes
        together: its number of examples times its longest. Either or both; the second needs
        ``lengths``.
    collate:
        Makes a batch of a list of examples, such as :func:`~tfcourse.batching.pad_pairs`; where
        ``data`` is tensors or has ``batch``, it is given what these give. Unless given, a batch is
        what it would be given.
    shuffle:
        Whether to draw an order; else the examples come as they stand, or with ``lengths`` the
        shortest first.
    drop_last:
        Whether to leave out what does not fill a batch at the end of an epoch.
    lengths:
        A length for each example, or a function that gives it. Batches are then made of examples
        of similar length: little padding, and still another order each time.
    rank, world:
        Which of how many processes this is. Its examples are every ``world``-th of each batch, so
        that all processes' shares together are the batch of one process.
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
            # How many are left over differs by epoch: better said now than in the midst of a run.
            raise ValueError(
                f"drop_last must be True with max_tokens in {self.world} processes, got False"
            )

    def __len__(self) -> int:
        """Batches in this epoch."""
        return len(self._plan(self.epoch))

    def __iter__(self) -> Iterator[Any]:
        first, self._first = self._first, 0
        return self._pass(self.epoch, first)

    def _pass(self, epoch: int, first: int) -> Iterator[Any]:
        plan = self._plan(epoch)
        for i in range(first, len(plan)):
            # Said before the batch is handed out: who asks while training on it means the next.
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
        """The places of the examples of each batch of an epoch, all processes together."""
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
        # What is left over is the last one made.
        whole = self.max_tokens is None and len(plan[-1]) == self.size
        if self.drop_last and not whole:
            plan.pop()
        if not plan:
            raise ValueError(f"drop_last must be False where {n} examples are less than a batch")
        if len(plan[-1]) < self.world:  # only what is left over can be so few
            raise ValueError(
                f"drop_last must be True in {self.world} processes: the last batch has "
                f"{len(plan[-1])} example(s)"
            )
        if self.shuffle and self._lengths is not None:
            plan = [plan[i] for i in torch.randperm(len(plan), generator=generator).tolist()]
        return plan

    def _pool(self) -> int:
        """Examples that are sorted together; all of them where no order is drawn."""
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
        """The same batches as process ``rank`` of ``world`` sees them, from the same place on."""
        other = Batches(
            self.data, self.size, collate=self.collate, shuffle=self.shuffle,
            drop_last=self.drop_last, seed=self.seed, lengths=self._lengths,
            max_tokens=self.max_tokens, rank=rank, world=world,
        )  # fmt: skip
        other.load_state_dict(self.state_dict())
        other._first = self._first
        return other

    def _order(self) -> dict[str, Any]:
        """What the order depends on; the number of processes is not among it."""
        lengths = self._lengths
        return {
            "examples": self._count, "size": self.size, "shuffle": self.shuffle,
            "drop_last": self.drop_last, "seed": self.seed, "max_tokens": self.max_tokens,
            "lengths": None if lengths is None else zlib.crc32(lengths.numpy().tobytes()),
        }  # fmt: skip

    def state_dict(self) -> dict[str, Any]:
        """Where the next batch stands, in numbers; the same in every process."""
        return {"epoch": self.epoch, "position": self.position, "order": self._order()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from where :meth:`state_dict` was asked; ``ValueError`` if the order differs."""
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
        raise ValueError(f"data must have as many rows in each, got {[len(t) for t in data]}")
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
