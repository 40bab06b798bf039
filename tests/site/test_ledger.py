"""The claims ledger: complete, filled from stored outputs, and strict about both."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from tiny_site import build

from coursebook import claims
from coursebook.course import Lesson, lessons
from coursebook.sphinx.claims import read_ledger, stated

CHAPTER = "05-self-attention"
ENTRY = {
    "claim": "Scores grow.",
    "sources": ["UW"],
    "measured": "The spread.",
    "refuted": "none.",
    "severity": "slight",
}
PLAN = [{"part": "II", "chapters": {CHAPTER: {"title": "Self-attention", "about": "How?"}}}]
HELD = "claim self-scale: holds\nmeasured: exponent 0.50\n"
ALGEBRA = "claim self-scale: true by algebra, checked\nmeasured: exponent 0.50\n"
UNSETTLED = "claim self-scale: not settled here (more seeds)\nmeasured: exponent 0.50\n"
WHY = "claim self-scale: shown, not tested (no draw is random"
SHOWN = WHY + "; limit: at the start)\nmeasured: exponent 0.50\n"
LIMIT = "claim self-scale: holds, with a limit (at the start)\nmeasured: exponent 0.50\n"


def write_claims(folder: Path, entry: dict) -> None:
    Lesson(folder, CHAPTER).claims.write_text(yaml.safe_dump({"self-scale": entry}))


def write_course(folder: Path, *printed: str, tags: tuple[str, ...] = ("claim",)) -> Path:
    """A course of one chapter with one claim, limited; its cells have printed ``printed``."""
    (folder / "book").mkdir()
    Lesson(folder, CHAPTER).folder.mkdir(parents=True)
    (folder / "book" / "chapters.yml").write_text(yaml.safe_dump(PLAN))
    write_claims(folder, ENTRY)
    notebook = new_notebook()
    for text in printed:
        cell = new_code_cell("test()", execution_count=1, metadata={"tags": list(tags)})
        cell.outputs = [new_output("stream", name="stdout", text=text)]
        notebook.cells.append(cell)
    nbformat.write(notebook, Lesson(folder, CHAPTER).notebook)
    return folder


def test_a_verdict_is_read_from_the_stored_output(tmp_path: Path) -> None:
    ledger = read_ledger(write_course(tmp_path, "more\n" + LIMIT))
    assert not ledger.faults
    tested = ledger.tested["self-scale"]
    assert (tested.verdict, tested.limit) == ("holds, with a limit", "at the start")
    assert (tested.figure, tested.chapter) == ("exponent 0.50", CHAPTER)


def write_lesson(folder: Path, said: str, printed: str = LIMIT) -> Path:
    """A course whose lesson says what its evidence, which printed ``printed``, came to."""
    write_course(folder, printed)
    here = Lesson(folder, CHAPTER)
    here.notebook.rename(here.evidence)
    lesson = new_notebook(cells=[new_markdown_cell(f"# Lesson\n\nScores grow: {said}.")])
    nbformat.write(lesson, here.notebook)
    return folder


def link(said: str, claim: str = "self-scale") -> str:
    return f"[{said}](evidence.ipynb#claim-{claim})"


def test_a_verdict_is_read_from_the_evidence(tmp_path: Path) -> None:
    ledger = read_ledger(write_lesson(tmp_path, link("holds, with a limit")))
    assert not ledger.faults
    tested = ledger.tested["self-scale"]
    assert (tested.chapter, tested.page) == (CHAPTER, f"notebooks/{CHAPTER}/evidence")


@pytest.mark.parametrize(
    "said, fault",
    [
        (link("holds"), "says 'holds' of self-scale; the evidence says 'holds, with a limit'"),
        (link("holds", "self-other"), "evidence.ipynb does not test self-other"),
    ],
)
def test_a_lesson_says_what_its_evidence_says(tmp_path: Path, said: str, fault: str) -> None:
    (found,) = read_ledger(write_lesson(tmp_path, said)).faults
    assert fault in found


def test_a_lesson_and_its_evidence_do_not_both_judge(tmp_path: Path) -> None:
    write_lesson(tmp_path, link("holds, with a limit"))
    here = Lesson(tmp_path, CHAPTER)
    nbformat.write(nbformat.read(here.evidence, 4), here.notebook)
    (fault,) = read_ledger(tmp_path).faults
    assert f"evidence.ipynb: self-scale has a verdict in {CHAPTER}/{CHAPTER}.ipynb" in fault


def test_a_lessons_verdict_is_a_badge_that_leads_to_the_evidence(course: Path, site: Path) -> None:
    lesson = (site / "notebooks" / CHAPTER / f"{CHAPTER}.html").read_text("utf-8")
    tested = [t for t in read_ledger(course).tested.values() if t.chapter == CHAPTER]
    assert len(tested) == 8
    for claim in tested:
        badge = re.search(rf'<a class="([^"]*)" href="evidence.html#claim-{claim.claim}">', lesson)
        assert badge and "verdict verdict-" in badge[1], claim.claim


def test_a_claim_that_no_chapter_tested_says_so(tmp_path: Path) -> None:
    ledger = read_ledger(write_course(tmp_path))
    assert not ledger.faults
    assert ledger.verdict("self-scale") == "not tested yet"


@pytest.mark.parametrize(
    "printed, said",
    [
        ([HELD.replace("self-scale", "self-other")], "claims.yml has no claim self-other"),
        ([LIMIT, LIMIT], "has a verdict in 05-self-attention/05-self-attention.ipynb already"),
        (["claim self-scale: perhaps\nmeasured: 1\n"], "must print exactly one verdict"),
        (["claim self-scale: holds\n"], "must print exactly one verdict"),
        ([HELD + HELD], "must print exactly one verdict"),
        ([""], "must print exactly one verdict"),
    ],
)
def test_what_a_chapter_prints_wrongly_is_a_fault(
    tmp_path: Path, printed: list[str], said: str
) -> None:
    faults = read_ledger(write_course(tmp_path, *printed)).faults
    assert len(faults) == 1
    assert said in faults[0]


def test_a_verdict_in_a_cell_without_the_tag_is_a_fault(tmp_path: Path) -> None:
    ledger = read_ledger(write_course(tmp_path, HELD, tags=()))
    assert ledger.faults == [f"{CHAPTER}/{CHAPTER}.ipynb, cell 1 prints a verdict: tag it `claim`"]


@pytest.mark.parametrize(
    "change, said",
    [
        ({"sources": ["MIT"]}, "no lecture has the key MIT"),
        ({"verdict": "holds"}, "must have exactly"),
        ({"severity": "grave"}, "severity must be slight or serious"),
    ],
)
def test_what_is_wrong_in_the_list_of_claims_is_a_fault(
    tmp_path: Path, change: dict, said: str
) -> None:
    write_course(tmp_path)
    write_claims(tmp_path, ENTRY | change)
    faults = read_ledger(tmp_path).faults
    assert len(faults) == 1
    assert said in faults[0]


@pytest.mark.parametrize(
    "printed, severity, said",
    [
        (LIMIT, {}, "so severity must be there: slight or serious"),
        (HELD, {"severity": "slight"}, "so severity must be left out"),
        (ALGEBRA, {"severity": "slight"}, "so severity must be left out"),
        (ALGEBRA.replace("checked", "checked (at a time)"), {}, "so severity must be there"),
        (SHOWN, {}, "so severity must be there"),
        (SHOWN.replace("; limit: at the start", ""), {"severity": "slight"}, "must be left out"),
    ],
)
def test_a_claim_that_is_true_within_a_limit_and_no_other_has_a_severity(
    tmp_path: Path, printed: str, severity: dict, said: str
) -> None:
    write_course(tmp_path, printed)
    entry = {key: value for key, value in ENTRY.items() if key != "severity"} | severity
    write_claims(tmp_path, entry)
    (fault,) = read_ledger(tmp_path).faults
    assert said in fault


LATER = {"before": "holds, with a limit", "later": "More than that."}


@pytest.mark.parametrize(
    "printed, change, said",
    [
        (LIMIT, LATER, None),
        (UNSETTLED, LATER, None),
        (UNSETTLED, {**LATER, "later": ["More than that.", "And more."]}, None),
        (SHOWN, LATER, None),
        (SHOWN, {**LATER, "before": "not settled here"}, "stronger than 'not settled here'"),
        (LIMIT, {**LATER, "before": "shown, not tested"}, "stronger than 'shown, not tested'"),
        (HELD, LATER, "'holds' is stronger than 'holds, with a limit'"),
        (LIMIT, {"later": "More than that."}, "needs `before`, the verdict without it"),
        (LIMIT, {**LATER, "before": "perhaps"}, "needs `before`, the verdict without it"),
    ],
)
def test_what_is_added_after_a_result_may_only_weaken_a_verdict(
    tmp_path: Path, printed: str, change: dict, said: str | None
) -> None:
    write_course(tmp_path, printed)
    entry = {key: value for key, value in (ENTRY | change).items() if key != "severity"}
    entry |= {"severity": "slight"} if printed in (LIMIT, SHOWN) else {}
    write_claims(tmp_path, entry)
    faults = read_ledger(tmp_path).faults
    assert bool(faults) == bool(said)
    assert not said or said in faults[0]


def test_every_verdict_is_counted(course: Path, site: Path) -> None:
    ledger = read_ledger(course)
    said = {
        "algebra": "follow",
        "holds": "hold",
        "limit": "with a limit",
        "shown": "shown by a test that could hardly fail",
        "fails": "not hold as stated",
        "unsettled": "not settled",
    }
    for page, to in (("index.html", "book/claims.html"), ("book/claims.html", "")):
        html = (site / page).read_text("utf-8")
        line = re.search(r'<p class="claims-summary">(.*?</p>.*?)</p>', html, re.DOTALL)
        assert line and f"{len(ledger.entries)} claims" in line[1]
        for look, words in said.items():
            verdict = claims.VERDICTS[look]
            count = sum(t.verdict == verdict for t in ledger.tested.values())
            link = rf'href="{to}#verdict-{look}">{count} [^<]*{words}'
            assert bool(re.search(link, line[1])) == bool(count), (page, look)
        assert 'how-we-tested.html#verdicts-that-could-hardly-have-failed"' in line[1]
        verdicts = [tested.verdict for tested in ledger.tested.values()]
        unsettled = verdicts.count(claims.VERDICTS["unsettled"])
        assert f"Of the {unsettled} that are not settled, {len(ledger.lost)} held" in line[1]
        assert 'how-we-tested.html#verdicts-that-we-questioned"' in line[1]


def test_the_page_names_the_verdicts_that_could_hardly_have_failed(course: Path) -> None:
    """Each claim that is shown, and each that holds although a part of its test is easy."""
    page = (course / "book" / "how-we-tested.md").read_text("utf-8")
    _, _, section = page.partition("## Verdicts that could hardly have failed")
    lines = section.partition("\n## ")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines if "|" in line]
    said = {claim: row[-1] for row in rows for claim in re.findall(r"`([\w-]+)`", row[0])}
    tested = read_ledger(course).tested
    part = {claim for claim, one in tested.items() if one.agrees and "could hardly" in one.limit}
    shown = {claim for claim, one in tested.items() if one.shown}
    assert set(said) == shown | part
    assert said == {claim: tested[claim].verdict for claim in said}
    assert f"{len(shown)} of the claims are *shown, not tested*" in " ".join(section.split())


@pytest.mark.parametrize("printed", [SHOWN, LIMIT, HELD])
def test_a_claim_that_could_hardly_fail_is_counted_and_says_why(
    tmp_path: Path, printed: str
) -> None:
    write_course(tmp_path, printed)
    text = "```{claims-summary}\n```\n\n```{claims-ledger} II\n```\n"
    html, _ = build(tmp_path, text, extensions=("coursebook.sphinx.claims",))
    said = re.search(r'<p class="claims-summary">(.*?</p>.*?)</p>', html, re.DOTALL)
    summary = re.sub("<[^>]+>", "", said[1]) if said else ""
    words = re.sub("<[^>]+>", "", html)
    shown = printed == SHOWN
    assert ("1 is shown by a test that could hardly fail" in summary) == shown
    assert ("why these tests could hardly fail" in summary) == shown
    assert ("It could hardly have failed: no draw is random\n" in words) == shown
    assert ("Limit: at the start" in words) == shown
    assert ('<span class="verdict verdict-shown"' in html) == shown
    assert ("by-verdict-shown" in html) == shown


@pytest.mark.browser
def test_a_view_of_the_ledger_has_an_address(course: Path, page, address: str) -> None:
    ledger = read_ledger(course)
    unsettled = {c for c, t in ledger.tested.items() if t.verdict == claims.VERDICTS["unsettled"]}
    serious = {c for c, entry in ledger.entries.items() if entry.get("severity") == "serious"}
    shown = page.locator(".claims-ledger tbody tr:visible")

    def ids() -> set[str]:
        return {row.get_attribute("id").removeprefix("claim-") for row in shown.all()}

    page.goto(f"{address}/book/claims.html#verdict-unsettled")
    shown.first.wait_for()
    assert ids() == unsettled
    page.evaluate("location.hash = 'verdict-limit_limit-serious'")
    for row in page.locator(".claims-ledger tr.by-verdict-unsettled").all():
        row.wait_for(state="hidden")
    assert ids() == {c for c in serious if ledger.tested[c].verdict == claims.VERDICTS["limit"]}
    page.locator(".ledger-filter label").filter(has_text=re.compile("^Limit")).locator(
        "select"
    ).select_option("")
    assert page.evaluate("location.hash") == "#verdict-limit"


@pytest.mark.browser
def test_the_ledger_shows_what_is_chosen(course: Path, page, address: str) -> None:
    ledger = read_ledger(course)
    page.goto(f"{address}/book/claims.html")
    shown = page.locator(".claims-ledger tbody tr:visible")
    assert shown.count() == len(ledger.entries)
    page.get_by_label("Verdict").select_option(label="not settled here")
    wanted = {c for c, t in ledger.tested.items() if t.verdict == "not settled here"}
    assert {row.get_attribute("id") for row in shown.all()} == {f"claim-{c}" for c in wanted}
    page.get_by_label("Verdict").select_option("")
    page.get_by_label("Lecture").select_option("KA")
    page.get_by_label("Lesson").select_option("07-positions")
    wanted = {
        name
        for name, entry in ledger.entries.items()
        if entry["chapter"] == "07-positions" and "KA" in entry["sources"]
    }
    assert {row.get_attribute("id") for row in shown.all()} == {f"claim-{c}" for c in wanted}
    assert page.locator(".ledger-filter [role=status]").text_content().startswith(f"{len(wanted)} ")
    assert page.locator(".claims-ledger:visible").count() == 1
    page.evaluate("location.hash = 'claim-words-onehot'")
    page.locator("#claim-words-onehot").wait_for(state="visible")
    assert not page.faults


def test_a_fault_is_a_warning_of_the_build(tmp_path: Path) -> None:
    write_course(tmp_path, LIMIT, LIMIT)
    _, warnings = build(tmp_path, "", extensions=("coursebook.sphinx.claims",))
    assert "has a verdict in 05-self-attention/05-self-attention.ipynb already" in warnings


def test_the_page_shows_verdict_figure_and_count(tmp_path: Path) -> None:
    write_course(tmp_path, LIMIT)
    text = "```{claims-summary}\n```\n\n```{claims-ledger} II\n```\n"
    html, warnings = build(tmp_path, text, extensions=("coursebook.sphinx.claims",))
    assert not warnings
    said = re.search(r'<p class="claims-summary">(.*?)</p>', html)
    assert said and re.sub("<[^>]+>", "", said[1]) == (
        "Of the lectures’ 1 claims, 1 holds with a limit that we name and 0 do not hold as stated."
    )
    (row,) = re.findall(r'<tr[^>]*id="claim-self-scale".*?</tr>', html, re.DOTALL)
    for part in (
        "Scores grow.",
        "UW",
        "verdict-limit",
        '<span class="severity severity-slight">slight limit</span>',
        "by-limit-slight",
        "at the start",
        "exponent 0.50",
    ):
        assert part in row


def test_a_part_that_is_not_in_the_plan_is_refused(tmp_path: Path) -> None:
    write_course(tmp_path)
    _, warnings = build(
        tmp_path, "```{claims-ledger} IX\n```", extensions=("coursebook.sphinx.claims",)
    )
    assert "chapters.yml has no part 'IX'" in warnings


def test_the_course_has_no_fault(course: Path) -> None:
    assert not read_ledger(course).faults


def test_every_part_with_claims_is_on_the_page(course: Path, site: Path) -> None:
    page = (site / "book" / "claims.html").read_text("utf-8")
    for claim in read_ledger(course).entries:
        assert f'id="claim-{claim}"' in page


def test_a_tested_claim_links_to_the_cell_that_tested_it(course: Path, site: Path) -> None:
    page = (site / "book" / "claims.html").read_text("utf-8")
    tested = read_ledger(course).tested
    assert tested, "no claim has been tested"
    for claim in tested.values():
        assert f"{claim.page}.html#claim-{claim.claim}" in page
        tested_on = (site / f"{claim.page}.html").read_text("utf-8")
        assert f'id="claim-{claim.claim}"' in tested_on


def test_a_claim_leads_to_the_sentence_of_its_lesson(course: Path, site: Path) -> None:
    page = (site / "book" / "claims.html").read_text("utf-8")
    for one in lessons(course):
        lesson = (site / f"{one.page}.html").read_text("utf-8")
        for claim, _, _ in stated(one.notebook):
            assert f"{one.page}.html#claim-{claim}" in page
            assert f'id="claim-{claim}"' in lesson


def test_every_claim_of_the_lectures_is_listed(course: Path, shared: Path) -> None:
    rows = re.findall(
        r"^\| ([a-z]+-[a-z-]+) \| .*? \| ([A-Z0-9, N]+) \|",
        (shared / "CLAIMS.md").read_text("utf-8"),
        re.MULTILINE,
    )
    assert len(rows) > 40
    listed = {claim: set(sources.replace(" ", "").split(",")) for claim, sources in rows}
    entries = read_ledger(course).entries
    ours = {claim: set(entry["sources"]) for claim, entry in entries.items()}
    assert {claim: ours.get(claim) for claim in listed} == listed  # maintainers may add others
