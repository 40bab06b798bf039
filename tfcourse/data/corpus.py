"""One interface for every corpus: its description, its splits, and its examples in order.

The module that makes a corpus registers it as a :class:`Loader`; it is then loaded by name:
``load("number-words", split="test", source="de")``.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from tfcourse.arguments import one_of
from tfcourse.data.examples import Image

if TYPE_CHECKING:
    from torch import Tensor

T = TypeVar("T")

#: ``make(split, *, option=default, ...)``: the examples of one split of a corpus.
Make = Callable[..., Sequence[Any]]
#: A decorator for such a function.
Registers = Callable[[Make], Make]


@dataclass(frozen=True)
class Card:
    """Metadata of a corpus, available before it is loaded.

    Attributes
    ----------
    name, title:
        The name passed to :func:`load`, and the full name.
    what:
        What an example is, in one sentence.
    kind:
        ``"embedded"``: comes with the package or is computed by it, offline, the same everywhere;
        ``"real"``: files already on the machine, or downloaded.
    task:
        Its use: ``"translation"``, ``"language modelling"``, ``"classification"`` ...
    splits, size_bytes:
        Number of examples in each split with default options, and size of the corpus on disk or,
        for an embedded one, as JSON; ``None`` if unknown.
    licence, licence_url, citation, homepage:
        The terms of use, whom to cite, and where it comes from.
    sha256:
        The hash of each file; for an embedded corpus, :meth:`Corpus.sha256` of each split with
        default options.
    options, labels:
        What each option of :func:`load` means; the names of the classes, if examples have one.
    made_from:
        For an embedded corpus, the packages it is made from, and the versions for which ``sha256``
        holds.
    """

    name: str
    title: str
    what: str
    kind: str
    task: str
    splits: Mapping[str, int | None]
    size_bytes: int | None = None
    licence: str = ""
    licence_url: str = ""
    citation: str = ""
    homepage: str = ""
    sha256: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    made_from: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        one_of(("embedded", "real"), kind=self.kind)
        object.__setattr__(self, "labels", tuple(self.labels))  # TOML has lists
        if not self.splits:
            raise ValueError(f"splits must name at least one split, got none for {self.name!r}")


class Corpus(Sequence[T], Generic[T]):
    """The examples of one split, in a fixed order.

    ``len(corpus)``, ``corpus[3]``, ``corpus[:100]`` (itself a corpus) and iteration work as for a
    tuple.

    The examples are strings, or named tuples of :mod:`tfcourse.data.examples`; ``options`` are
    those they were loaded with, defaults included.
    """

    def __init__(
        self,
        card: Card,
        split: str,
        examples: Sequence[T],
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.card = card
        self.split = split
        self.examples = examples
        self.options = dict(options or {})

    def __len__(self) -> int:
        return len(self.examples)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Corpus[T]: ...
    def __getitem__(self, index: int | slice) -> T | Corpus[T]:
        if isinstance(index, slice):
            return Corpus(self.card, self.split, self.examples[index], self.options)
        return self.examples[index]

    def __iter__(self) -> Iterator[T]:
        return iter(self.examples)

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"<{self.card.title}: {len(self):,} examples, split={self.split!r}{options}>"

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the classes; raises ``ValueError`` if the examples have none."""
        if not self.card.labels:
            raise ValueError(f"{self.card.name} has no labels: {self.card.what}")
        return self.card.labels

    @property
    def text(self) -> str:
        """All lines joined by newlines; raises ``ValueError`` if the examples are not text."""
        lines = [example for example in self.examples if isinstance(example, str)]
        if len(lines) < len(self.examples):
            raise ValueError(f"{self.card.name} is not running text: {self.card.what}")
        return "\n".join(lines)

    def tensors(self) -> tuple[Tensor, Tensor]:
        """All images and labels as tensors: uint8 ``(N, C, H, W)`` and int64 ``(N,)``.

        Raises ``ValueError`` if the examples are not images.
        """
        import torch

        if isinstance(self.examples, Images):
            return self.examples.pixels, self.examples.labels
        pictures = [example for example in self.examples if isinstance(example, Image)]
        if len(pictures) < len(self.examples) or not pictures:
            raise ValueError(f"{self.card.name} has no pictures: {self.card.what}")
        pixels = torch.stack([picture.pixels for picture in pictures])
        return pixels, torch.tensor([picture.label for picture in pictures])

    def sha256(self) -> str:
        """The hash of the examples as lines of JSON: equal corpora have equal hashes."""
        digest = hashlib.sha256()
        for line in self.lines():
            digest.update(line.encode())
        return digest.hexdigest()

    def lines(self) -> Iterator[str]:
        """Each example as a line of JSON in a canonical form; pixels as bytes."""
        for example in self.examples:
            yield _canonical(example) + "\n"


class Images(Sequence[Image]):
    """Images of one size, stored in one tensor.

    ``pixels`` are uint8 ``(N, C, H, W)``, ``labels`` int64 ``(N,)``, and so are ``places``: where
    in the image the labelled object is; ``None`` if unknown.
    """

    def __init__(self, pixels: Tensor, labels: Tensor, places: Tensor | None = None) -> None:
        if pixels.ndim != 4:
            raise ValueError(f"pixels must be (N, C, H, W), got {tuple(pixels.shape)}")
        for name, each in (("labels", labels), ("places", places)):
            if each is not None and each.shape != pixels.shape[:1]:
                raise ValueError(
                    f"{name} must be ({len(pixels)},), one for each picture, got "
                    f"{tuple(each.shape)}"
                )
        self.pixels = pixels
        self.labels = labels
        self.places = places

    def __len__(self) -> int:
        return len(self.labels)

    @overload
    def __getitem__(self, index: int) -> Image: ...
    @overload
    def __getitem__(self, index: slice) -> Images: ...
    def __getitem__(self, index: int | slice) -> Image | Images:
        if isinstance(index, slice):
            places = None if self.places is None else self.places[index]
            return Images(self.pixels[index], self.labels[index], places)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index must lie within {len(self)} pictures, got {index}")
        return Image(self.pixels[index], int(self.labels[index]))


_JSON = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), allow_nan=False)


def _canonical(example: Any) -> str:
    """An example as JSON, in ASCII and without spaces; an image as its shape, bytes and label."""
    if isinstance(example, Image):
        pixels = example.pixels.contiguous().cpu().numpy()
        example = [list(pixels.shape), pixels.tobytes().hex(), example.label]
    return _JSON.encode(example)


@dataclass(frozen=True)
class Loader:
    """The card of a corpus, and the function that makes its examples.

    ``make(split, *, option=default, ...)`` returns the examples of one split; an invalid option
    raises a ``ValueError`` that lists the valid ones. The options must be those that the card
    describes.
    """

    card: Card
    make: Make

    def __post_init__(self) -> None:
        if set(self.defaults) != set(self.card.options):
            raise ValueError(
                f"options of {self.card.name!r} must be those of its function, "
                f"{sorted(self.defaults)}, got {sorted(self.card.options)}"
            )

    @property
    def defaults(self) -> dict[str, Any]:
        """The options of ``make`` and their defaults."""
        parameters = inspect.signature(self.make).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}


_LOADERS: dict[str, Loader] = {}


def register(loader: Loader) -> Loader:
    """Make a corpus known to :func:`load`; raises ``ValueError`` if the name is taken."""
    name = loader.card.name
    if name in _LOADERS:
        raise ValueError(f"name must be one that no corpus has yet, got {name!r}")
    _LOADERS[name] = loader
    return loader


def makes(card: Card) -> Registers:
    """Decorator that registers a function as the maker of the corpus with this card."""

    def known(make: Make) -> Make:
        register(Loader(card, make))
        return make

    return known


def names() -> tuple[str, ...]:
    """The names of all corpora, in alphabetical order."""
    return tuple(sorted(_LOADERS))


def _loader(name: str) -> Loader:
    one_of(names(), name=name)
    return _LOADERS[name]


def info(name: str) -> Card:
    """The card of a corpus; an unknown name raises a ``ValueError`` that lists the names."""
    return _loader(name).card


def load(name: str, split: str = "train", **options: Any) -> Corpus:
    """Load the examples of one split of a corpus, always in the same order.

    ``name`` is one of :func:`names`; its card lists the splits and the options, all of which have
    defaults. An unknown corpus, split or option raises a ``ValueError`` that lists the known ones.
    """
    loader = _loader(name)
    card = loader.card
    if split not in card.splits:
        raise ValueError(f"split of {name} must be one of {list(card.splits)}, got {split!r}")
    for option in options:
        if option not in card.options:
            known = list(card.options) or "none"
            raise ValueError(f"{option} is not an option of {name}; its options are {known}")
    chosen = loader.defaults | options
    return Corpus(card, split, loader.make(split, **chosen), chosen)
