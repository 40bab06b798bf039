"""``{coverage}``: the topics of the five lectures, and where a lesson teaches each.

``book/coverage.yml`` lists the topics of each lecture, in the lecture's order; ``topics.yml`` of
the lesson that is the first to teach a topic has its name in words. A lesson's cell
lists those that it teaches in its metadata, ``{"tfcourse": {"teaches": ["one-hot"]}}``; the page
links to the section that contains the cell.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from coursebook import course
from coursebook.headings import headings
from coursebook.sphinx import tree
from coursebook.sphinx.map import MarkdownTable
from coursebook.yaml_files import read_yaml

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Place:
    """A section of a lesson."""

    lesson: str
    page: str
    title: str
    anchor: str


@dataclass
class Coverage:
    """Topics by name, the topics at each place in a lecture, and where each topic is taught."""

    topics: dict[str, str]
    lectures: dict[str, dict[str, list[str]]]
    taught: dict[str, list[Place]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def taught_in(path: Path, root: Path) -> list[tuple[str, Place]]:
    """The topics that a lesson's cells list, each with the section that contains the cell.

    A cell with headings of its own belongs to the section of its last heading.
    """
    found, sections = [], headings(path, root)
    for number, cell in enumerate(tree.cells(path)):
        for topic in cell["metadata"].get("tfcourse", {}).get("teaches", []):
            above = [heading for heading in sections if heading.cell <= number]
            section = above[-1]
            lesson = course.lesson_of(path)
            found.append((topic, Place(lesson.name, lesson.page, section.title, section.anchor)))
    return found


def read_coverage(root: Path) -> Coverage:
    """The topics and where lessons teach them, with every fault found."""
    coverage = Coverage({}, {})
    try:
        coverage.lectures = read_yaml(root / "book" / "coverage.yml")["lectures"]
        for path in _files(root):
            named = read_yaml(path)
            for topic in set(named) & set(coverage.topics):
                coverage.faults.append(f"{path.parent.name}/topics.yml: {topic} is named already")
            coverage.topics.update(named)
    except ValueError as error:
        return Coverage({}, {}, faults=[str(error)])
    for lecture, places in coverage.lectures.items():
        for place, topics in places.items():
            coverage.faults += [
                f"coverage.yml, {lecture}, {place}: there is no topic {topic}"
                for topic in topics
                if topic not in coverage.topics
            ]
    for path in course.chapter_paths(root):
        for topic, where in taught_in(path, root):
            if topic not in coverage.topics:
                coverage.faults.append(
                    f"{path.name} teaches {topic}; no topics.yml has such a topic"
                )
            else:
                found = coverage.taught.setdefault(topic, [])
                if where not in found:
                    found.append(where)
    for topic in coverage.topics:
        if topic not in coverage.taught:
            coverage.faults.append(f"topics.yml: no lesson's cell teaches {topic}")
    return coverage


def _files(root: Path) -> list[Path]:
    """The lists of topics."""
    return [lesson.topics for lesson in course.lessons(root) if lesson.topics.is_file()]


class CoverageTable(MarkdownTable):
    """One lecture's topics, in its order, with links to the sections that teach them."""

    required_arguments = 1
    classes = ["coverage"]

    def run(self) -> list[nodes.Node]:
        root, lecture = Path(self.env.srcdir), self.arguments[0]
        coverage = read_coverage(root)
        for path in (root / "book" / "coverage.yml", *_files(root), *course.chapter_paths(root)):
            self.env.note_dependency(str(path))
        if lecture not in coverage.lectures:
            raise self.error(f"coverage: coverage.yml has no lecture {lecture!r}")
        lines = ["| In the lecture | Topic | Taught in |", "|---|---|---|"]
        for place, topics in coverage.lectures[lecture].items():
            for number, topic in enumerate(topics):
                where = " · ".join(map(self._link, coverage.taught.get(topic, [])))
                row = ("" if number else place, coverage.topics[topic], where or "nowhere yet")
                lines.append(f"| {' | '.join(row)} |")
        return self.markdown(lines)

    @staticmethod
    def _link(place: Place) -> str:
        title = place.title.replace("|", "\\|")
        return f"[{int(place.lesson[:2])} {title}](/{place.page}.ipynb#{place.anchor})"


def report_faults(app: Sphinx) -> None:
    """Warn about every fault at each build, whichever pages are read again."""
    root = Path(app.srcdir)
    if (root / "book" / "coverage.yml").is_file():
        for fault in read_coverage(root).faults:
            logger.warning("%s", fault, type="course", subtype="coverage")


def setup(app: Sphinx) -> dict:
    app.add_directive("coverage", CoverageTable)
    app.connect("builder-inited", report_faults)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
