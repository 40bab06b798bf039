"""``{claims-summary}`` and ``{claims-ledger}``: the lectures' claims and their verdicts.

A lesson's ``claims.yml`` says what is claimed, by which lecture, and what refutes it. Verdicts and
figures are read from the stored outputs of cells tagged ``claim``, in the evidence notebooks and in
lessons without one. In a lesson, a link such as
``[holds](evidence.ipynb#claim-self-matrix)`` becomes the verdict's badge; if it
disagrees with the ledger, the build warns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from coursebook import claims, course
from coursebook.sphinx import tree
from coursebook.yaml_files import read_yaml

logger = logging.getLogger(__name__)

#: The lectures, by the key that pages use for them.
LECTURES = ("UW", "UBC", "224N", "UCB", "KA")
NOT_TESTED = "not tested yet"
#: The page with the ledger.
PAGE = "book/claims"
#: The page, and its section, that tells which conditions were added to and why.
QUESTIONED = ("book/how-we-tested", "verdicts-that-we-questioned")
#: How much a claim's limit matters: whether someone who relies on the claim will run into it.
SEVERITIES = ("slight", "serious")
#: The page, and its section, that tells why some tests could hardly have failed.
EASY = ("book/how-we-tested", "verdicts-that-could-hardly-have-failed")
#: The verdicts on a claim that an experiment could have refuted, and did not.
HELD = (claims.VERDICTS["holds"], claims.VERDICTS["limit"])
#: The verdicts on a claim that is true, with or without a limit.
LIMITED = tuple(claims.VERDICTS[look] for look in ("limit", "shown", "algebra"))
#: The suffix of the CSS class that styles each verdict.
LOOKS = {**{word: key for key, word in claims.VERDICTS.items()}, NOT_TESTED: "open"}


@dataclass(frozen=True)
class Tested:
    """What a claim cell printed, with its chapter and its page."""

    claim: str
    verdict: str
    hardly: str
    limit: str
    figure: str
    chapter: str
    page: str

    @property
    def shown(self) -> bool:
        """Whether the claim was seen to be so, and the test could hardly have failed."""
        return self.verdict == claims.VERDICTS["shown"]

    @property
    def agrees(self) -> bool:
        """Whether what was measured agrees with the claim."""
        return self.shown or self.verdict in HELD


@dataclass
class Ledger:
    """The claims of all lessons, their verdicts, and what is wrong with either."""

    entries: dict[str, dict] = field(default_factory=dict)
    tested: dict[str, Tested] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    @property
    def lost(self) -> list[str]:
        """The claims that are not settled and held until their condition was added to."""
        unsettled = claims.VERDICTS["unsettled"]
        return [
            claim
            for claim, entry in self.entries.items()
            if self.verdict(claim) == unsettled and entry.get("before") in HELD
        ]

    def verdict(self, claim: str) -> str:
        return self.tested[claim].verdict if claim in self.tested else NOT_TESTED


def _entries(lesson: course.Lesson, faults: list[str]) -> dict[str, dict]:
    try:
        entries = read_yaml(lesson.claims)
    except ValueError as error:
        faults.append(str(error))
        return {}
    wanted = {"claim", "sources", "measured", "refuted"}
    for name, entry in entries.items():
        if not isinstance(entry, dict) or set(entry) - {"severity", "later", "before"} != wanted:
            faults.append(f"claims.yml, {name}: it must have exactly {', '.join(sorted(wanted))}")
            continue
        if ("later" in entry) != (entry.get("before") in claims.STRENGTH):
            faults.append(
                f"claims.yml, {name}: `later`, what was asked for after a result was known, needs "
                f"`before`, the verdict without it: {' or '.join(claims.STRENGTH)}"
            )
        if entry.get("severity", SEVERITIES[0]) not in SEVERITIES:
            faults.append(f"claims.yml, {name}: severity must be {' or '.join(SEVERITIES)}")
        if unknown := set(entry["sources"]) - set(LECTURES):
            faults.append(f"claims.yml, {name}: no lecture has the key {', '.join(unknown)}")
    return {
        name: {**entry, "chapter": lesson.name}
        for name, entry in entries.items()
        if isinstance(entry, dict)
    }


def notebooks(root: Path) -> list[Path]:
    """The notebooks that may hold verdicts: the lessons and their evidence."""
    return [*course.chapter_paths(root), *course.evidence_paths(root)]


def verdicts(root: Path, path: Path, faults: list[str]) -> list[Tested]:
    """The verdicts in a notebook's stored outputs; problems with them are added to ``faults``."""
    found = []
    page = course.page(root, path)
    for number, cell in enumerate(tree.cells(path), 1):
        if cell["cell_type"] != "code":
            continue
        where = f"{_name(page)}, cell {number}"
        printed = tree.stdout(cell)
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
                f"coursebook.claims.verdict; its stored output has {len(said)} such lines"
            )
            continue
        found.append(Tested(**parsed, chapter=course.lesson_of(path).name, page=page))
    return found


def _name(page: str) -> str:
    return page.removeprefix("notebooks/") + ".ipynb"


#: A lesson's sentence about a claim: the verdict, linked to the cell that produced it.
STATED = re.compile(r"\[([^\]]+)\]\((evidence\.ipynb)#claim-([\w-]+)\)")


def stated(path: Path) -> list[tuple[str, str, str]]:
    """The verdicts that a lesson states: the claim, the verdict, and the notebook linked to."""
    text = "\n".join(tree.source(c) for c in tree.cells(path) if c["cell_type"] == "markdown")
    return [(claim, said, page) for said, page, claim in STATED.findall(text)]


def _check_stated(ledger: Ledger, root: Path, path: Path) -> None:
    for claim, said, target in stated(path):
        tested = ledger.tested.get(claim)
        if tested is None or course.page(root, path.parent / target) != tested.page:
            ledger.faults.append(f"{path.name}: {target} does not test {claim}")
        elif said != tested.verdict:
            ledger.faults.append(
                f"{path.name} says {said!r} of {claim}; the evidence says {tested.verdict!r}"
            )


def read_ledger(root: Path) -> Ledger:
    """The claims and their verdicts, with every fault found."""
    ledger = Ledger()
    for lesson in course.lessons(root):
        found = _entries(lesson, ledger.faults) if lesson.claims.is_file() else {}
        for name in set(found) & set(ledger.entries):
            other = ledger.entries[name]["chapter"]
            ledger.faults.append(f"{lesson.name} and {other} both claim {name}")
        ledger.entries.update(found)
    for path in notebooks(root):
        for tested in verdicts(root, path, ledger.faults):
            name = _name(tested.page)
            if tested.claim not in ledger.entries:
                ledger.faults.append(f"{name}: claims.yml has no claim {tested.claim}")
            elif other := ledger.tested.get(tested.claim):
                ledger.faults.append(
                    f"{name}: {tested.claim} has a verdict in {_name(other.page)} already"
                )
            elif (said := ledger.entries[tested.claim]["chapter"]) != tested.chapter:
                ledger.faults.append(
                    f"{name} tests {tested.claim}, which claims.yml gives to {said}"
                )
            else:
                ledger.tested[tested.claim] = tested
    for name, entry in ledger.entries.items():
        if name not in ledger.tested:
            continue
        tested = ledger.tested[name]
        limited = bool(tested.limit) and tested.verdict in LIMITED
        if limited != ("severity" in entry):
            ledger.faults.append(
                f"claims.yml, {name}: the verdict is {tested.verdict!r} "
                + (
                    f"within a limit, so severity must be there: {' or '.join(SEVERITIES)}"
                    if limited
                    else "without a limit, so severity must be left out"
                )
            )
        before = claims.STRENGTH.get(entry.get("before", ""))
        if before is not None and claims.STRENGTH.get(tested.verdict, 0) > before:
            ledger.faults.append(
                f"claims.yml, {name}: {tested.verdict!r} is stronger than {entry['before']!r}, but "
                "a condition that was added after a result may only weaken a verdict"
            )
    for path in course.chapter_paths(root):
        _check_stated(ledger, root, path)
    return ledger


def _files(root: Path) -> list[Path]:
    """The lists of claims."""
    return [lesson.claims for lesson in course.lessons(root) if lesson.claims.is_file()]


class _LedgerDirective(SphinxDirective):
    def ledger(self) -> Ledger:
        root = Path(self.env.srcdir)
        for path in (*_files(root), *notebooks(root)):
            self.env.note_dependency(str(path))
        return read_ledger(root)

    def _link(self, page: str, label: str, anchor: str) -> nodes.Node:
        if page not in self.env.found_docs:
            return nodes.Text(label)
        uri = self.env.app.builder.get_relative_uri(self.env.docname, page)
        return nodes.reference("", label, refuri=f"{uri}#{anchor}", internal=True)

    def parsed(self, text: str) -> list[nodes.Node]:
        """Markdown parsed into nodes by the page's own parser."""
        holder = nodes.container()
        self.state.nested_parse(StringList([text], self.get_source_info()[0]), 0, holder)
        return list(holder.children)


#: What the ledger says before the texts in a verdict's brackets.
SAID = {
    "hardly": "It could hardly have failed",
    "shown": "Limit",
    "unsettled": "What would settle it",
    "fails": "Why",
}

#: How the ledger's first line counts each verdict: of one claim, and of several.
COUNTED = {
    "algebra": ("{} follows from algebra", "{} follow from algebra"),
    "holds": ("{} holds", "{} hold"),
    "limit": ("{} holds with a limit that we name", "{} hold with a limit that we name"),
    "shown": (
        "{} is shown by a test that could hardly fail",
        "{} are shown by a test that could hardly fail",
    ),
    "fails": ("{} does not hold as stated", "{} do not hold as stated"),
    "unsettled": ("{} is not settled", "{} are not settled"),
    "open": ("{} is not tested yet", "{} are not tested yet"),
}


def counted(counts: Mapping[str, int]) -> dict[str, str]:
    """How many claims got each verdict, in words. Those that do not hold are counted even if none.

    The keys are the verdicts' looks, by which the ledger's views are linked to.
    """
    words = {look: word for word, look in LOOKS.items()}
    return {
        look: forms[number != 1].format(number)
        for look, forms in COUNTED.items()
        if (number := counts.get(words[look], 0)) or look == "fails"
    }


class ClaimsSummary(_LedgerDirective):
    """How many claims got which verdict, each count with a link to the ledger's view of it."""

    def run(self) -> list[nodes.Node]:
        ledger = self.ledger()
        counts = Counter(ledger.verdict(claim) for claim in ledger.entries)
        said = nodes.paragraph(classes=["claims-summary"])
        said += nodes.Text(f"Of the lectures’ {len(ledger.entries)} claims, ")
        parts = list(counted(counts).items())
        for place, (look, words) in enumerate(parts):
            said += nodes.Text(", " if 0 < place < len(parts) - 1 else " and " if place else "")
            some = any(LOOKS[verdict] == look for verdict in counts)
            said += self._link(PAGE, words, f"verdict-{look}") if some else nodes.Text(words)
        said += nodes.Text(".")
        more = nodes.paragraph()
        if any(tested.shown for tested in ledger.tested.values()):
            more += nodes.Text("The ledger says ")
            more += self._link(EASY[0], "why these tests could hardly fail", EASY[1])
            more += nodes.Text(". ")
        if lost := len(ledger.lost):
            unsettled = claims.VERDICTS["unsettled"]
            more += nodes.Text(f"Of the {counts[unsettled]} that are not settled, {lost} held ")
            more += self._link(QUESTIONED[0], "before we asked for more", QUESTIONED[1])
            more += nodes.Text(".")
        return [said, more] if more.children else [said]


class ClaimsLedger(_LedgerDirective):
    """The claims of one part of the course, as a table that becomes cards on a narrow page."""

    required_arguments = 1
    final_argument_whitespace = True
    head = ("Claim", "Lectures", "Lesson", "Verdict")

    def run(self) -> list[nodes.Node]:
        ledger, part = self.ledger(), self.arguments[0]
        here = [c for c in tree.plan(Path(self.env.srcdir)) if c.part == part]
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

    def _row(self, ledger: Ledger, name: str, entry: dict, chapter: tree.Planned) -> nodes.row:
        chosen_by = [f"by-lecture-{lecture}" for lecture in entry["sources"]]
        chosen_by += [f"by-lesson-{chapter.name}", f"by-verdict-{LOOKS[ledger.verdict(name)]}"]
        if severity := entry.get("severity"):
            chosen_by.append(f"by-limit-{severity}")
        row = nodes.row(ids=[f"claim-{name}"], classes=chosen_by)
        claim = nodes.entry("", nodes.paragraph("", "", nodes.literal(text=name)))
        claim += self.parsed(entry["claim"])
        # How a claim was refuted is shown at once, because its verdict has no limit to say why.
        shown = " open" if LOOKS[ledger.verdict(name)] == "fails" else ""
        fold = f"<details{shown}><summary>How it was tested</summary>"
        claim += nodes.raw("", fold, format="html")
        claim += self.parsed(f"*What is measured:* {entry['measured']}")
        claim += self.parsed(f"*What would refute it:* {entry['refuted']}")
        lead = (
            "Added after a result was known, which without a new run can only weaken the verdict "
            f"(before, it was “{entry.get('before')}”):"
        )
        for added in claims.additions(entry):
            claim += self.parsed(f"*{lead}* {added}")
            lead = "Added later still:"
        if tested := ledger.tested.get(name):
            claim += nodes.paragraph("", "", nodes.emphasis(text="Measured:"))
            claim[-1] += nodes.Text(f" {tested.figure}")
        claim += nodes.raw("", "</details>", format="html")
        row += claim
        row += nodes.entry("", nodes.paragraph(text=", ".join(entry["sources"])))
        row += nodes.entry("", self._chapter(ledger, name, chapter))
        row += self._verdict(ledger, name)
        return row

    def _chapter(self, ledger: Ledger, name: str, chapter: tree.Planned) -> nodes.paragraph:
        """Links to where a claim is taught and where it was tested, at the exact place in both."""
        lesson = course.Lesson(Path(self.env.srcdir), chapter.name).page
        page = ledger.tested[name].page if name in ledger.tested else ""
        links = nodes.paragraph()
        links += self._link(lesson, f"{chapter.name[:2]} {chapter.title}", f"claim-{name}")
        if page not in ("", lesson):
            links += [nodes.Text(" · "), self._link(page, "evidence", f"claim-{name}")]
        return links

    def _verdict(self, ledger: Ledger, name: str) -> nodes.entry:
        word = ledger.verdict(name)
        entry = nodes.entry("", nodes.paragraph("", "", _badge(word)))
        if name == next(claim for claim in ledger.entries if ledger.verdict(claim) == word):
            # Without scripts, a link to a view leads to its first claim.
            entry[0][0]["ids"].append(f"verdict-{LOOKS[word]}")
        tested = ledger.tested.get(name)
        if tested and tested.hardly:
            entry += nodes.paragraph(text=f"{SAID['hardly']}: {tested.hardly}")
        if tested and tested.limit:
            if severity := ledger.entries[name].get("severity"):
                classes = ["severity", f"severity-{severity}"]
                entry[0] += nodes.inline(text=f"{severity} limit", classes=classes)
            label = f"{SAID[LOOKS[word]]}: " if LOOKS[word] in SAID else ""
            entry += nodes.paragraph(text=label + tested.limit)
        return entry


def _badge(word: str, text: str = "") -> nodes.inline:
    return nodes.inline(text=text or word, classes=["verdict", f"verdict-{LOOKS[word]}"])


def report_faults(app: Sphinx) -> None:
    """Warn about every fault at each build, whichever pages are read again."""
    for fault in read_ledger(Path(app.srcdir)).faults:
        logger.warning("%s", fault, type="course", subtype="claims")


def mark_claims(app: Sphinx, doctree: nodes.document) -> None:
    """Give each claim's cell an anchor, so that the ledger and the lesson can link to it."""
    # MyST looks up an anchor on another page among its headings, so the claims are added there.
    slugs = app.env.metadata[app.env.docname].setdefault("myst_slugs", {})
    for cell in doctree.findall(nodes.container):
        if "tag_claim" not in cell["classes"]:
            continue
        printed = "\n".join(block.astext() for block in cell.findall(nodes.literal_block))
        if parsed := claims.parse(printed[max(printed.find(claims.PREFIX), 0) :]):
            anchor = f"claim-{parsed['claim']}"
            cell["ids"].append(anchor)
            slugs[anchor] = (cell.line or 0, anchor, parsed["verdict"])


def show_badges(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Style a lesson's links to verdicts, and give their paragraphs the claims' anchors."""
    looks = {word: f"verdict-{look}" for word, look in LOOKS.items()}
    marked = set()
    for link in doctree.findall(nodes.reference):
        _, _, claim = link.get("refuri", "").partition("#claim-")
        if claim and (look := looks.get(link.astext())):
            link["classes"] += ["verdict", look]
            if claim not in marked:
                link.parent["ids"].append(f"claim-{claim}")
                marked.add(claim)


def setup(app: Sphinx) -> dict:
    app.add_directive("claims-summary", ClaimsSummary)
    app.add_directive("claims-ledger", ClaimsLedger)
    app.connect("builder-inited", report_faults)
    app.connect("doctree-read", mark_claims)
    app.connect("doctree-resolved", show_badges)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
