"""Find a learner's answers that have lost their cells' names or stand in another cell.

Deleting a cell and typing it again loses nbgrader's metadata; so do some editors and converters. An
answer is then recognised by the names that it defines and by its neighbours, the locked cells,
whose text is known.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from nbformat import NotebookNode

from nbjudge.intake import cells
from nbjudge.intake.notes import Notes
from nbjudge.judge.names import bound, names_in

#: Parsing a longer cell takes too much memory; no honest answer is half as long.
MOST_CHARACTERS = 20_000

#: What a cell defines that Python cannot parse.
_DEFINES = re.compile(r"^(?:async +def|def|class) +(\w+)|^(\w+) *=", re.MULTILINE)


def source_digest(source: str) -> str:
    """A digest of a cell's text; surrounding blank lines make no difference."""
    return hashlib.sha256(source.strip().encode()).hexdigest()[:32]


@dataclass
class GivenCells:
    """The problem set's cells, as learners were given them.

    ``order`` has each cell's key in the order of the notebook: see :func:`key_of`. ``wanted`` holds
    the names that each code answer must define; ``digests`` those of each locked cell's versions.
    """

    given: dict[str, NotebookNode]
    plain: dict[str, NotebookNode]
    order: dict[str, int]
    wanted: dict[str, frozenset[str]]
    digests: dict[str, list[str]]

    @classmethod
    def of(
        cls,
        template: NotebookNode,
        release: NotebookNode,
        given_out: Mapping[str, Sequence[str]],
        names: Mapping[str, Collection[str]],
    ) -> GivenCells:
        """What is known from the notebooks; see :func:`nbjudge.intake.merge.merge`."""
        given = {cells.grade_id(cell): cell for cell in release.cells if cells.grade_id(cell)}
        locked = [c for c in template.cells if c.cell_type == "code" and cells.is_locked(c)]
        used = frozenset().union(*(names_in(cell.source) for cell in locked))
        made = set().union(*(bound(c.source) for c in locked if not cells.is_test(c)))
        wanted = {}
        for name, cell in given.items():
            if cells.is_answer(cell) and cell.cell_type == "code":
                own = frozenset(names.get(name, ())) | bound(cell.source)
                wanted[name] = ((own & used) or own) - made
        return cls(
            given,
            {cell.id: cell for cell in release.cells if not cells.grade_id(cell)},
            {key_of(cell): place for place, cell in enumerate(template.cells)},
            wanted,
            {
                name: [source_digest(cell.source), *given_out.get(name, ())]
                for name, cell in given.items()
                if cells.is_locked(cell)
            },
        )


def key_of(cell: NotebookNode) -> str:
    """A key for one of the problem set's cells."""
    name = cells.grade_id(cell)
    return f"grade:{name}" if name else f"plain:{cell.id}"


def by_text(
    handed: list[NotebookNode], known: GivenCells, places: dict[str, list[int]]
) -> list[int]:
    """Name the locked cells that are recognised by their text alone, in ``places``.

    Returns their indices.
    """
    named = {index for indices in places.values() for index in indices}
    missing = [name for name in known.digests if name not in places]
    recognised = []
    for index, cell in enumerate(handed):
        if index in named or cells.grade_id(cell) or not missing:
            continue
        digest = source_digest(cell.source)
        name = next((name for name in missing if digest in known.digests[name]), None)
        if name is not None:
            missing.remove(name)
            places[name] = [index]
            recognised.append(index)
    return recognised


@dataclass
class Recovered:
    """Answers found in other cells: their text by grade id, and the cells that need not run twice.

    ``notes`` says where each was found.
    """

    answers: dict[str, str] = field(default_factory=dict)
    moved: set[int] = field(default_factory=set)
    notes: Notes = field(default_factory=Notes)


def recover(
    handed: list[NotebookNode],
    known: GivenCells,
    places: Mapping[str, list[int]],
    keys: Mapping[int, str],
    numbers: Sequence[int],
) -> Recovered:
    """Find the answers whose own cell is missing or untouched.

    Parameters
    ----------
    handed:
        The learner's cells.
    known:
        The problem set's cells.
    places:
        The indices of the cells that have a name, by grade id.
    keys:
        The key of each of the problem set's cells in ``handed``, by index; the others are free.
    numbers:
        The number of each cell in the learner's file, from 1.
    """
    recovered = Recovered()
    around = _Around(numbers, known.order, keys)
    free = [
        index
        for index, cell in enumerate(handed)
        if index not in keys and cell.source.strip() and not cells.grade_id(cell)
    ]
    every = frozenset().union(*known.wanted.values())
    defining = {index: defined(handed[index].source, every) for index in free}
    for name, cell in known.given.items():
        if not cells.is_answer(cell):
            continue
        stub = cell.source.strip()
        if name in places and handed[places[name][-1]].source.strip() not in ("", stub):
            continue
        near = [i for i in around.at(key_of(cell), free) if handed[i].source.strip() != stub]
        if cell.cell_type != "code":
            chosen = [index for index in near if handed[index].cell_type != "code"]
            _take(recovered, handed, name, chosen, (), around, own=name in places)
            continue
        wanted = known.wanted[name]
        defines = {
            index: names & wanted
            for index, names in defining.items()
            if names & wanted and handed[index].source.strip() != stub
        }
        within = {index: names for index, names in defines.items() if index in near}
        defines = within or defines
        last = {one: index for index in sorted(defines) for one in sorted(defines[index])}
        chosen = sorted(set(last.values()))
        if not chosen and name not in places:
            chosen = [index for index in near if handed[index].cell_type == "code"]
            chosen = chosen if len(chosen) == 1 else []
        several = {handed[index].source.strip() for index in defines if index not in chosen}
        _take(recovered, handed, name, chosen, sorted(last), around, own=name in places)
        if chosen and several:
            recovered.notes.add(
                f"answer {name}: {cells.listed(sorted(last))} is defined in more than one cell; "
                "the last one counts",
                f"Your notebook defines {_code(sorted(last))} more than once outside the answer's "
                "cell. The last one was graded. Keep one, in the answer's cell, or tell your "
                "instructor which one counts.",
                held=True,
            )
    return recovered


def defined(source: str, wanted: Collection[str]) -> set[str]:
    """Those of the names ``wanted`` that a cell defines.

    If it is not valid Python, or too long to parse, its text decides.
    """
    if not any(name in source for name in wanted):
        return set()
    names = bound(source) if len(source) <= MOST_CHARACTERS else set()
    return (names or {a or b for a, b in _DEFINES.findall(source)}) & set(wanted)


def _take(
    recovered: Recovered,
    handed: list[NotebookNode],
    name: str,
    chosen: list[int],
    names: Sequence[str],
    around: _Around,
    own: bool,
) -> None:
    """Take an answer from the cells chosen."""
    if not chosen:
        return
    recovered.answers[name] = "\n\n".join(handed[index].source for index in chosen)
    recovered.moved |= {index for index in chosen if not around.is_before(index, f"grade:{name}")}
    where = cells.listed([str(around.numbers[index]) for index in chosen])
    where = f"cell{'s' if len(chosen) > 1 else ''} {where} of the notebook"
    what = f"{cells.listed(list(names))} was found in" if names else "was found in"
    lost = "its own cell has only the stub" if own else "its own cell is missing"
    called = f"{_code([name])} ({_code(list(names))})" if names else _code([name])
    sentence = f"Your answer {called} was found in {where.replace('the', 'your')} and graded. "
    sentence += (
        "Move it into the answer's own cell, so that nobody has to search for it."
        if own
        else "Its own cell is missing: next time, type into the answer's cell and do not delete it."
    )
    recovered.notes.add(f"answer {name}: {what} {where}; {lost}", sentence)


def _code(names: Sequence[str]) -> str:
    return cells.listed([f"`{name}`" for name in names])


class _Around:
    """Where a learner's cells stand among the problem set's."""

    def __init__(self, numbers: Sequence[int], order: Mapping[str, int], keys: Mapping[int, str]):
        self.numbers, self.order = numbers, order
        self.there = {order[key] for key in keys.values() if key in order}
        self.before: list[int] = []
        self.after: list[int] = []
        last = -1
        for index in range(len(numbers)):
            self.before.append(last)
            last = order.get(keys.get(index, ""), last)
        last = len(order)
        for index in reversed(range(len(numbers))):
            self.after.append(last)
            last = order.get(keys.get(index, ""), last)
        self.after.reverse()

    def at(self, key: str, free: Sequence[int]) -> list[int]:
        """Those of the cells that stand between the neighbours of the cell ``key``."""
        if not self.there:
            return []
        place = self.order[key]
        before = max((p for p in self.there if p < place), default=-1)
        after = min((p for p in self.there if p > place), default=len(self.order))
        return [
            index
            for index in free
            if self.before[index] in (before, place) and self.after[index] in (after, place)
        ]

    def is_before(self, index: int, key: str) -> bool:
        """Whether other cells of the problem set stand between a cell and ``key``, after it."""
        place = self.order[key]
        return self.before[index] < max((p for p in self.there if p < place), default=-1)
