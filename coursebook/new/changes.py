"""Changes to the course's files: all of them are made, or none."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from coursebook import course
from coursebook.quizzes import SLUG

#: What stands in each text that a maintainer has to replace.
MARK = "still to be written"

#: The longest name, in characters: it stands in lines of limited length.
LONGEST = 32


class Refused(ValueError):
    """Why nothing was made, and what to do, in a sentence."""


@dataclass
class Changes:
    """Files written inside a ``with`` block; an error in the block takes all of it back.

    Attributes
    ----------
    root:
        The folder of the course.
    before:
        What each file held before; ``None`` if it is new.
    """

    root: Path
    before: dict[Path, bytes | None] = field(default_factory=dict)
    _folders: list[Path] = field(default_factory=list)

    def write(self, path: Path, text: str) -> None:
        """Write a file, and the folders above it."""
        self.remember(path)
        for folder in reversed(path.parents):
            if not folder.is_dir():
                folder.mkdir()
                self._folders.append(folder)
        path.write_bytes(text.encode())

    def remember(self, path: Path) -> None:
        """Keep what a file holds now, before a program writes it."""
        self.before.setdefault(path, path.read_bytes() if path.is_file() else None)

    def named(self, *, new: bool) -> list[str]:
        """The files that were made, or those that were changed, from the course's folder."""
        found = (path for path, old in self.before.items() if (old is None) == new)
        return sorted(self.relative(path) for path in found if path.is_file())

    def relative(self, path: Path) -> str:
        """A path as it is typed in the course's folder."""
        return path.relative_to(self.root).as_posix()

    def __enter__(self) -> Changes:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            return
        for path, old in self.before.items():
            if old is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(old)
        for folder in reversed(self._folders):
            shutil.rmtree(folder, ignore_errors=True)


def named_well(kind: str, name: str, longest: int = LONGEST) -> None:
    """Refuse a name that is not in the form of all names.

    Raises
    ------
    Refused
        If it is not lower-case words joined by hyphens, or too long.
    """
    if not SLUG.fullmatch(name) or len(name) > longest:
        raise Refused(
            f"the {kind}'s name is {name!r}, but it must be lower-case words joined by hyphens, "
            f"such as 'two-heads', with at most {longest} characters in all."
        )


def lesson_named(root: Path, name: str) -> course.Lesson:
    """The lesson with that name.

    Raises
    ------
    Refused
        If there is none; the message lists them.
    """
    names = [one.name for one in course.lessons(root)]
    if name not in names:
        raise Refused(
            f"there is no lesson {name!r}: name one of {', '.join(names)}, "
            "or make one with `python -m coursebook new lesson`."
        )
    return course.Lesson(root, name)


def in_words(name: str) -> str:
    """A name as a title: ``"two-heads"`` is ``"Two heads"``."""
    return name.replace("-", " ").capitalize()


def after(text: str, entry: str, new: list[str]) -> str:
    """YAML with lines put below an entry and what belongs to it, as deep as the entry.

    Parameters
    ----------
    text:
        The YAML.
    entry:
        The line that the entry begins with, without its indentation.
    new:
        The new lines.
    """
    lines = text.splitlines(keepends=True)
    start = next(i for i, line in enumerate(lines) if line.strip() == entry)
    depth = _depth(lines[start])
    end = start + 1
    while end < len(lines) and lines[end].strip() and _depth(lines[end]) > depth:
        end += 1
    added = [f"{' ' * depth}{line}\n" for line in new]
    return "".join([*lines[:end], *added, *lines[end:]])


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
