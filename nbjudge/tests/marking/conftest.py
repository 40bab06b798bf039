"""A small class with written answers, graded once, and the marking page open on it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import around
import pytest
import small_set

from nbjudge.intake.release import make_release
from nbjudge.marking.opening import open_desk

#: The written question of the small set, with a mark scheme of three items.
SCHEME = r"""
Because $x^2 = x \cdot x$, and a product of two numbers of one sign is not negative.

=== BEGIN MARK SCHEME ===
One point each; half a point if the reason is missing.

1. Says that $x^2 \geq 0$.
2. Says that it holds for $x < 0$, too.
3. Gives an example.

No marks are taken off for language.
=== END MARK SCHEME ===
"""

ATTACK = "document.title='taken'"

#: What the learners wrote; each attack would set the page's title, were it to run.
WRITTEN = {
    "ada": "A square $x^2$ is *never* negative:\n\n$$\\sqrt{x^2} = |x|$$\n\nSo $(-2)^2 = 4$.",
    "ben": "It is positive.",
    "eve": (
        f'<script>{ATTACK}</script><img src=x onerror="{ATTACK}"><svg/onload="{ATTACK}">\n\n'
        f"[click](javascript:{ATTACK}) https://example.org/x ![p](https://example.org/p.png)\n\n"
        f"$\\href{{javascript:{ATTACK}}}{{x}}$ $\\require{{html}}\\style{{color:red}}{{y}}$\n\n"
        f'<style>body {{ display: none }}</style><form action="https://example.org"></form>\n\n'
        "$\\def\\x{\\x\\x}\\x$ <iframe srcdoc='x'></iframe> It is never negative."
    ),
}


@pytest.fixture(scope="module")
def class_of_four(one_nursery, tmp_path_factory) -> SimpleNamespace:
    """Three who wrote something and one who did not, graded. Read only: tests use copies."""
    folder = tmp_path_factory.mktemp("marking")
    notebook = small_set.source_notebook()
    small_set.cell(notebook, "explain--written").source = SCHEME.strip()
    course = small_set.make_course(folder / "course", notebook)
    make_release(small_set.NAME, course)
    for student, text in WRITTEN.items():
        small_set.hand_in(folder / "in", student, small_set.answered(course, explain=text))
    small_set.hand_in(folder / "in", "nil", small_set.release_of(course))
    small_set.grade(folder / "in", folder / "out", course)
    return SimpleNamespace(course=course, submitted=folder / "in", into=folder / "out")


@pytest.fixture
def graded_class(class_of_four, tmp_path) -> SimpleNamespace:
    """A copy of the class to write to, with a function that grades it again."""
    return copied(class_of_four, tmp_path)


def copied(given: SimpleNamespace, folder: Path) -> SimpleNamespace:
    into = shutil.copytree(given.into, folder / "out")

    def again():
        return small_set.grade(given.submitted, into, given.course)

    return SimpleNamespace(**{**vars(given), "into": into, "again": again})


@pytest.fixture
def desk(graded_class):
    """A marker's desk on that copy."""
    with open_desk(small_set.NAME, graded_class.into, "mia", course=graded_class.course) as opened:
        yield opened


class Client:
    """Talks to the page's program as a browser does."""

    def __init__(self, address: str):
        self.address = address

    def get(self, path: str = "", **query: str):
        return self._open(f"{path}?{urllib.parse.urlencode(query)}" if query else path)

    def post(
        self, path: str, body: object = None, kind: str = "application/json", **fields: object
    ):
        data = json.dumps(fields if body is None else body).encode()
        return self._open(path, data=data, headers={"Content-Type": kind})

    def _open(self, path: str, **more):
        request = urllib.request.Request(urllib.parse.urljoin(self.address, path), **more)
        try:
            answer = urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            body, kind = answer.read().decode(), answer.headers["Content-Type"]
        content = json.loads(body) if "json" in kind else {"text": body}
        return SimpleNamespace(status=answer.status, headers=answer.headers, content=content)


@pytest.fixture(scope="module")
def page(class_of_four, tmp_path_factory) -> Iterator[SimpleNamespace]:
    """The real command, started on a copy of the class: its ``address``, and a ``client``."""
    given = copied(class_of_four, tmp_path_factory.mktemp("page"))
    (given.into / "requests.csv").write_text(
        "student;exercise;text\nben;explain;Why not 3 points?\nzoe;explain;And me?\n", "utf-8"
    )
    command = [sys.executable, "-m", "nbjudge", "mark", "ps99", "--into", str(given.into)]
    program = subprocess.Popen(
        command,
        cwd=given.course,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(around.AROUND)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # Tests that nohup started would have it ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    output = []
    try:
        for line in program.stdout:
            output.append(line.strip())
            if line.startswith("http://"):
                break
        assert output[-1].startswith("http://"), "\n".join(output)
        yield SimpleNamespace(
            address=output[-1],
            output=output,
            client=Client(output[-1]),
            program=program,
            **vars(given),
        )
    finally:
        program.terminate()
        program.wait()
        program.stdout.close()
