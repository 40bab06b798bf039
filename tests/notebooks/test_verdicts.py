"""What a verdict must say, what it rests on, and that its condition is the ledger's."""

import ast
import json
import re
from pathlib import Path

import pytest

from coursebook.claims import condition, read_claims
from coursebook.course import evidence_paths, record_paths, root, short_name
from coursebook.sphinx import tree
from coursebook.sphinx.claims import Tested, read_ledger

ROOT = root(Path(__file__).parent)
CONDITIONS = read_claims(ROOT)
RECORDS = record_paths(ROOT)
TESTED = read_ledger(ROOT).tested.values()


#: "(0.1 to 0.3)", "[0.1, 0.3]", "in nine draws of ten"; or why there is none.
INTERVAL = re.compile(r"[(\[][^()\[\]]*\d(?: to |, )[+-]?\d[^()\[\]]*[)\]]|nine (?:draws )?of ten")
NONE_AS = re.compile(r"by algebra|by counting|without a random draw|without an interval")
RUNS = re.compile(
    r"runs|seed|start|draw|pairs? of|passes|questions|layers|sentences?\b|sizes|models"
)


@pytest.mark.parametrize("tested", TESTED, ids=lambda tested: tested.claim)
def test_a_verdict_gives_an_interval_or_says_why_not(tested: Tested) -> None:
    if tested.verdict.startswith("true by algebra"):
        return
    assert INTERVAL.search(tested.figure) or NONE_AS.search(tested.figure)
    assert RUNS.search(tested.figure)


class Dependence:
    """The records that a notebook's names depend on, statement by statement.

    A name depends on the records that its statement loads, on those behind the names in the
    statement, and on those behind the conditions and loops around it.
    """

    def __init__(self) -> None:
        self.known: dict[str, set[str]] = {}
        self.imported: set[str] = set()
        #: Each claim that was judged, and what its verdict and limit depend on; its figure may
        #: quote more.
        self.judged: dict[str, set[str]] = {}

    def read(self, statements: list[ast.stmt], around: frozenset[str] = frozenset()) -> None:
        for statement in statements:
            blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
            if not any(blocks) or isinstance(statement, ast.FunctionDef | ast.ClassDef):
                self.simple(statement, around)
                continue
            target = getattr(statement, "target", None)
            head = set(ast.iter_child_nodes(statement)) - {*sum(blocks, []), target}
            within = around.union(*map(self.behind, head))
            if isinstance(statement, ast.For):
                if loads(statement):
                    within |= named(statement.iter)
                self.known |= dict.fromkeys(stored(target), set(within))
            before = dict(self.known)
            for block in blocks:
                self.read(block, within)
            if isinstance(statement, ast.If):  # it may not have run
                for name, behind in before.items():
                    self.known[name] = self.known[name] | behind

    def simple(self, statement: ast.stmt, around: frozenset[str]) -> None:
        call = getattr(statement, "value", None)
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in JUDGES:
            said = [k.value for k in call.keywords if k.arg in DECIDES]
            self.judged[call.args[0].value] = set().union(*map(self.behind, said))
        if isinstance(statement, ast.Import | ast.ImportFrom):
            self.imported |= {a.asname or a.name for a in statement.names}
        found = self.behind(statement) | around
        for name in changed(statement) - self.imported:
            anew = isinstance(statement, ast.Assign | ast.FunctionDef)
            self.known[name] = found if anew else found | self.known.get(name, set())

    def behind(self, node: ast.AST) -> set[str]:
        every = (n for n in ast.walk(node) if isinstance(n, ast.Name))
        names = {n.id for n in every if isinstance(n.ctx, ast.Load)} - own(node)
        found = set().union(*(self.known.get(name, ()) for name in names))
        return found | named(node) if loads(node) else found


#: The functions that print a verdict.
JUDGES = ("verdict", "identity")
#: Their arguments that make the verdict and what stands in its brackets.
DECIDES = ("holds", "agrees", "limit", "settle", "hardly")


def loads(node: ast.AST) -> bool:
    """Whether a record is loaded here."""
    every = (n for n in ast.walk(node) if isinstance(n, ast.Attribute))
    return any(ast.unparse(n) in ("records.load", "records.by_device") for n in every)


def named(node: ast.AST) -> set[str]:
    """The records that are named here."""
    return {n.value for n in ast.walk(node) if isinstance(n, ast.Constant)} & set(RECORDS)


def stored(node: ast.AST) -> set[str]:
    """The names that are assigned to."""
    every = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return {n.id for n in every if isinstance(n.ctx, ast.Store)}


def own(node: ast.AST) -> set[str]:
    """The names that belong to functions and comprehensions in a statement."""
    found = set()
    for n in ast.walk(node):
        if isinstance(n, ast.arg):
            found.add(n.arg)
        elif isinstance(n, ast.FunctionDef | ast.comprehension):
            found |= stored(n.target if isinstance(n, ast.comprehension) else n)
    return found


def changed(statement: ast.stmt) -> set[str]:
    """The names that a statement defines, or whose value it changes."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    found = stored(statement) - own(statement)
    for n in ast.walk(statement):
        if isinstance(n, ast.Attribute | ast.Subscript) and isinstance(n.ctx, ast.Store):
            found.add(ast.unparse(n.value))
    method = getattr(getattr(statement, "value", None), "func", None)
    if isinstance(statement, ast.Expr) and isinstance(method, ast.Attribute):
        found.add(ast.unparse(method.value))  # such as `limits.append(...)`
    return found


def rests_on(path: Path) -> dict[str, set[str]]:
    """The records behind each verdict of a notebook."""
    found = Dependence()
    for cell in tree.cells(path):
        if cell["cell_type"] == "code":
            found.read(ast.parse(tree.source(cell)).body)
    return found.judged


@pytest.mark.parametrize("path", evidence_paths(ROOT), ids=short_name)
def test_a_verdict_rests_on_the_page_or_on_a_record_that_holds_its_condition(path: Path) -> None:
    without = {
        f"{claim} on {name}"
        for claim, behind in rests_on(path).items()
        for name in behind
        if claim not in conditions_of(name)
    }
    assert not without


def conditions_of(name: str) -> dict[str, str]:
    """The conditions that a record was made under, by claim."""
    return json.loads(RECORDS[name].read_text("utf-8")).get("stated", {"refuted": {}})["refuted"]


def test_what_a_verdict_rests_on_is_followed_through_names_loops_and_conditions() -> None:
    text = """
record = records.load("heads-roles")
numbers = {}
for key, value in record["results"].items():
    numbers[key] = value
record = records.load("heads-cost")
limits = []
if record:
    limits.append("slow")
verdict("a", holds=numbers["x"] > 0, figure=str(record), limit="; ".join(limits))
verdict("b", holds=max(x for x in numbers), figure=str(limits))
for name in ("heads-roles", "heads-cost"):
    last = records.load(name)
verdict("c", holds=last, figure="")
last = [record for record in (1, 2)]
identity("d", agrees=last, figure="")
devices = records.by_device("heads-cost")
verdict("e", holds=devices[0]["results"], figure="")
"""
    found = Dependence()
    found.read(ast.parse(text).body)
    assert found.judged == {
        "a": {"heads-roles", "heads-cost"},
        "b": {"heads-roles"},
        "c": {"heads-roles", "heads-cost"},
        "d": set(),
        "e": {"heads-cost"},
    }


#: The number of a condition, such as 0.05, 1,024 or 1e-12; `$10^{-5}$` is written 1e-5 there.
NUMBER = re.compile(r"(?<![\w.^])\d[\d,]*(?:\.\d+)?(?:e-?\d+)?(?!\w)")


def refuted_by(path: Path) -> dict[str, str]:
    """What a notebook says would refute each claim, or limit it."""
    found: dict[str, str] = {}
    claims: list[str] = []
    for cell in tree.cells(path):
        if cell["cell_type"] != "markdown":
            continue
        for paragraph in tree.source(cell).split("\n\n"):
            claims = re.findall(r"\*\*Claim\*\* \(`([\w-]+)`\)", paragraph) or claims
            if claims and re.search(r"\*\*(?:Refuted|Limits)", paragraph):
                named_here = re.findall(r"Refuted\*\* \(`([\w-]+)`\)", paragraph)
                for claim in named_here or claims:
                    found[claim] = found.get(claim, "") + paragraph
    return found


def numbers(text: str) -> set[float]:
    text = re.sub(r"\$10\^\{(-\d+)\}\$", r"1e\1", text)
    text = re.sub(r"\$[^$]*\\(?:ln|lambda)[^$]*\$|chapter \d+|GPT-2", "", text)
    return {float(n.replace(",", "")) for n in NUMBER.findall(text)}


CASES = [(claim, text) for path in evidence_paths(ROOT) for claim, text in refuted_by(path).items()]


@pytest.mark.parametrize(("claim", "text"), CASES, ids=[claim for claim, _ in CASES])
def test_every_number_of_a_condition_stands_in_the_ledger(claim: str, text: str) -> None:
    entry = CONDITIONS[claim]
    assert numbers(text) <= numbers(f"{condition(entry)} {entry['measured']}")


def test_every_tested_claim_says_what_would_refute_it() -> None:
    assert {tested.claim for tested in TESTED} - {claim for claim, _ in CASES} <= {
        "block-equations"
    }
    assert numbers("1,024 words, 95 %, 1e-12 or $10^{-5}$, h_1, x2") == {1024, 95, 1e-12, 1e-5}
