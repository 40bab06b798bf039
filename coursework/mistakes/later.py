"""Mistakes are worked out only after a result was found wrong: most results are right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, wraps
from typing import ParamSpec, TypeVar

Said = ParamSpec("Said")
Answer = TypeVar("Answer")


class Later(Mapping[str, Answer]):
    """Message → what that mistake returns, worked out when somebody looks into it."""

    def __init__(self, make: Callable[[], Mapping[str, Answer]]):
        self._make = make

    @cached_property
    def _made(self) -> Mapping[str, Answer]:
        return self._make()

    def __getitem__(self, message: str) -> Answer:
        return self._made[message]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)

    def __or__(self, more: Mapping[str, Answer]) -> Later[Answer]:
        return Later(lambda: {**self, **more})

    def __ror__(self, before: Mapping[str, Answer]) -> Later[Answer]:
        return Later(lambda: {**before, **self})


def later(mistakes: Callable[Said, Mapping[str, Answer]]) -> Callable[Said, Later[Answer]]:
    """A function that works its mistakes out, made one that does so when somebody looks."""

    @wraps(mistakes)
    def put_off(*args: Said.args, **kwargs: Said.kwargs) -> Later[Answer]:
        return Later(lambda: mistakes(*args, **kwargs))

    return put_off
