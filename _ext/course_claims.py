"""``{claims-summary}`` and ``{claims-ledger}``: what the lectures claim and what came of it.

``book/claims.yml`` says what is claimed, by which lecture, and what would refute it. Verdicts and
figures are read from the stored outputs of the chapters' cells tagged ``claim``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import course_tree
import yaml
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from tfcourse import claims, course

logger = logging.getLogger(__name__)

#: The lectures, by the key that the pages name them by.
LECTURES = ("UW", "UBC", "224N", "UCB", "KA")
NOT_TESTED = "not tested yet"
#: The end of the class name that gives a verdict its look.
LOOKS = {**{word: key for key, word in claims.VERDICTS.items()}, NOT_TESTED: "open"}


@dataclass(frozen=True)
class Tested:
    """What a chapter's claim cell printed, and where."""

    claim: str
    verdict: str
    limit: str
    figure: str
    chapter: str


@dataclass
class Ledger:
    """The claims as written in ``book/claims.yml``, what was found, and what is wrong with both."""

    entries: dict[str, dict] = field(default_factory=dict)
    tested: dict[str, Tested] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def verdict(self, claim: str) -> str:
        return self.tested[claim].verdict if claim in self.tested else NOT_TESTED


def _entries(path: Path, planned: set[str], faults: list[str]) -> dict[str, dict]:
    entries = yaml.safe_load(path.read_text("utf-8"))
    wanted = {"claim", "sources", "chapter", "measured", "refuted"}
    for name, entry in entries.items():
        if set(entry) != wanted:
            faults.append(f"claims.yml, {name}: it must have exactly {', '.join(sorted(wanted))}")
            continue
        if unknown := set(entry["sources"]) - set(LECTURES):
            faults.append(f"claims.yml, {name}: no lecture has the key {', '.join(unknown)}")
        if entry["chapter"] not in planned:
            faults.append(f"claims.yml, {name}: {entry['chapter']} is not in chapters.yml")
    return entries


def verdicts(chapter: Path, faults: list[str]) -> list[Tested]:
    """The verdicts in a chapter's stored outputs; what is wrong with them goes into ``faults``."""
    found = []
    for number, cell in enumerate(course_tree.cells(chapter), 1):
        if cell["cell_type"] != "code":
            continue
        where = f"{chapter.name}, cell {number}"
        printed = course_tree.stdout(cell)
        said = [line for line in printed.splitlines() if line.startswith(claims.PREFIX)]
        tagged = "claim" in cell["metadata"].get("tags", [])
        if not tagged:
            if claims.parse(printed):
                faults.append(f"{where} prints a verdict: tag it `claim`")
            continue
        parsed = claims.parse(printed)
        if parsed is None or len(said) != 1:
            faults.append(
                f"{where} is tagged `claim`, so it must print exactly one verdict by "
                f"tfcourse.claims.verdict; its stored output has {len(said)} such lines"
            )
            continue
        found.append(Tested(**parsed, chapter=chapter.stem))
    return found


def read_ledger(root: Path) -> Ledger:
    """Both halves put together, with every fault found on the way."""
    ledger = Ledger()
    planned = {chapter.name for chapter in course_tree.plan(root)}
    ledger.entries = _entries(root / "book" / "claims.yml", planned, ledger.faults)
    for path in course.chapter_paths(root):
        for tested in verdicts(path, ledger.faults):
            if tested.claim not in ledger.entries:
                ledger.faults.append(f"{path.name}: claims.yml has no claim {tested.claim}")
            elif other := ledger.tested.get(tested.claim):
                ledger.faults.append(
                    f"{path.name}: {tested.claim} has a verdict in {other.chapter} already"
                )
            elif (said := ledger.entries[tested.claim]["chapter"]) != tested.chapter:
                ledger.faults.append(
                    f"{path.name} tests {tested.claim}, which claims.yml gives to {said}"
                )
            else:
                ledger.tested[tested.claim] = tested
    return ledger


class _LedgerDirective(SphinxDirective):
    def ledger(self) -> Ledger:
        root = Path(self.env.srcdir)
        for path in (root / "book" / "claims.yml", *course.chapter_paths(root)):
            self.env.note_dependency(str(path))
        return read_ledger(root)

    def parsed(self, text: str) -> list[nodes.Node]:
        """Markdown turned into nodes by the page's own parser."""
        holder = nodes.container()
        self.state.nested_parse(StringList([text], self.get_source_info()[0]), 0, holder)
        return list(holder.children)


class ClaimsSummary(_LedgerDirective):
    """How many claims there are, and how many came to which verdict."""

    def run(self) -> list[nodes.Node]:
        ledger = self.ledger()
        counts = Counter(ledger.verdict(claim) for claim in ledger.entries)
        found = "; ".join(f"{counts[word]}: {word}" for word in LOOKS)
        text = f"Of {len(ledger.entries)} claims: {found}."
        return [nodes.paragraph(text=text, classes=["claims-summary"])]


class ClaimsLedger(_LedgerDirective):
    """The claims of one part of the course, as a table that becomes cards on a narrow page."""

    required_arguments = 1
    final_argument_whitespace = True
    head = ("Claim", "Lectures", "Tested in", "Verdict")

    def run(self) -> list[nodes.Node]:
        ledger, part = self.ledger(), self.arguments[0]
        here = [c for c in course_tree.plan(Path(self.env.srcdir)) if c.part == part]
        if not here:
            raise self.error(f"claims-ledger: chapters.yml has no part {part!r}")
        table = nodes.table(classes=["claims-ledger"])
        group = nodes.tgroup(cols=len(self.head))
        group += [nodes.colspec(colwidth=width) for width in (40, 11, 19, 30)]
        head = nodes.row()
        head += [nodes.entry("", nodes.paragraph(text=word)) for word in self.head]
        body = nodes.tbody()
        group += [nodes.thead("", head), body]
        table += group
        for chapter in here:
            body += [
                self._row(ledger, name, entry, chapter)
                for name, entry in ledger.entries.items()
                if entry["chapter"] == chapter.name
            ]
        return [table]

    def _row(
        self, ledger: Ledger, name: str, entry: dict, chapter: course_tree.Planned
    ) -> nodes.row:
        row = nodes.row(ids=[f"claim-{name}"])
        claim = nodes.entry("", nodes.paragraph("", "", nodes.literal(text=name)))
        claim += self.parsed(entry["claim"])
        claim += self.parsed(f"*What is measured:* {entry['measured']}")
        claim += self.parsed(f"*What would refute it:* {entry['refuted']}")
        for paragraph in claim.children[2:]:
            paragraph["classes"].append("claim-detail")
        row += claim
        row += nodes.entry("", nodes.paragraph(text=", ".join(entry["sources"])))
        row += nodes.entry("", self._chapter(ledger, name, chapter))
        row += self._verdict(ledger, name)
        return row

    def _chapter(self, ledger: Ledger, name: str, chapter: course_tree.Planned) -> nodes.paragraph:
        label = f"{chapter.name[:2]} {chapter.title}"
        page = f"notebooks/{chapter.name}"
        if name not in ledger.tested or page not in self.env.found_docs:
            return nodes.paragraph(text=label)
        uri = self.env.app.builder.get_relative_uri(self.env.docname, page)
        link = nodes.reference("", label, refuri=f"{uri}#claim-{name}", internal=True)
        return nodes.paragraph("", "", link)

    def _verdict(self, ledger: Ledger, name: str) -> nodes.entry:
        word = ledger.verdict(name)
        badge = nodes.inline(text=word, classes=["verdict", f"verdict-{LOOKS[word]}"])
        entry = nodes.entry("", nodes.paragraph("", "", badge))
        if tested := ledger.tested.get(name):
            if tested.limit:
                entry += nodes.paragraph(text=f"Limit: {tested.limit}")
            entry += nodes.paragraph(text=f"Measured: {tested.figure}")
        return entry


def report_faults(app: Sphinx) -> None:
    """Warn of everything that is wrong, at each build, whichever pages are read again."""
    root = Path(app.srcdir)
    if (root / "book" / "claims.yml").is_file():
        for fault in read_ledger(root).faults:
            logger.warning("%s", fault, type="course", subtype="claims")


def mark_claims(app: Sphinx, doctree: nodes.document) -> None:
    """Give each claim's cell an anchor, so that the ledger can link to it."""
    for cell in doctree.findall(nodes.container):
        if "tag_claim" not in cell["classes"]:
            continue
        printed = "\n".join(block.astext() for block in cell.findall(nodes.literal_block))
        if parsed := claims.parse(printed[max(printed.find(claims.PREFIX), 0) :]):
            cell["ids"].append(f"claim-{parsed['claim']}")


def setup(app: Sphinx) -> dict:
    app.add_directive("claims-summary", ClaimsSummary)
    app.add_directive("claims-ledger", ClaimsLedger)
    app.connect("builder-inited", report_faults)
    app.connect("doctree-read", mark_claims)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
